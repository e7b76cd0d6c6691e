"""The table of commands: where each one is, and its line in `--help`.

The line is the first sentence of the command's own help. No module named here is imported before
its command is named on the command line.
"""

from __future__ import annotations

from tui.cli.lazy_commands import Command, Group

COM2 = Group(
    "Query, synthesise and score causal event graphs.",
    {
        "query": Command(
            "tui.cli.com2_query:query", "Print the probability of every event of a graph."
        ),
        "separate": Command(
            "tui.cli.com2_query:separate", "Print whether two events are d-separated."
        ),
        "scenario": Command(
            "tui.cli.com2_scenarios:scenario", "Print the question and answer of a scenario."
        ),
        "score": Command("tui.cli.com2_scenarios:score", "Score answers as the paper does."),
        "synthesise": Command("tui.cli.com2_synthesise:synthesise", "Make new items with a model."),
        "case": Command("tui.cli.com2_case:case", "Make a case from a detective story of yours."),
    },
    epilog="To open the program on it: commonsense-tui --benchmark com2",
)
ACCORD = Group(
    "Count, generate and check reasoning trees.",
    {
        "count": Command("tui.cli.accord_trees:count", "Count unique trees and their paths."),
        "trees": Command("tui.cli.accord_trees:trees", "Print the unique trees of a size."),
        "generate": Command(
            "tui.cli.accord_suites:generate", "Generate a suite of grounded items."
        ),
        "check": Command("tui.cli.accord_suites:check", "Check every item of a suite again."),
        "kb": Group(
            "Build and inspect knowledge bases.",
            {
                "build": Command(
                    "tui.cli.accord_kb:build",
                    "Compile a knowledge base from a dump.",
                ),
                "info": Command(
                    "tui.cli.accord_kb:info", "Verify a knowledge base and print its contents."
                ),
            },
        ),
    },
    epilog="To open the program on it: commonsense-tui --benchmark accord",
)
ABSPYRAMID = Group(
    "Curate, annotate, count and score abstraction tuples.",
    {
        "annotate": Command(
            "tui.cli.abspyramid_annotate:annotate",
            "Vote on tuples: valid, invalid or ungrammatical.",
        ),
        "votes": Command(
            "tui.cli.abspyramid_annotate:votes", "Print decisions, agreement and annotators."
        ),
        "curate": Command(
            "tui.cli.abspyramid_curate:curate", "Collect unlabelled tuples from events."
        ),
        "split": Command(
            "tui.cli.abspyramid_curate:split", "Split labelled tuples as they are released."
        ),
        "score": Command(
            "tui.cli.abspyramid_score:score", "Score predictions by relation and pooled."
        ),
        "stats": Command("tui.cli.abspyramid_stats:stats", "Count tuples by relation and split."),
    },
    epilog="To open the program on it: commonsense-tui --benchmark abspyramid",
)

COMMANDS: dict[str, Command | Group] = {
    "browse": Command("tui.cli.browse:browse", "Open the program (also without a command)."),
    "show": Command("tui.cli.items:show", "Show an item under a setting, or list the items."),
    "questions": Command(
        "tui.cli.items:questions", "Print the questions of a collection as a model gets them."
    ),
    "prompts": Command(
        "tui.cli.prompts:prompts",
        "Print a benchmark's own prompts, to word your own after them.",
    ),
    "ask": Command("tui.cli.items:ask", "Ask a model every task layer of an item."),
    "export": Command(
        "tui.cli.export:export",
        "Write an item to a file, or a benchmark as pages or suites.",
    ),
    "blocks": Command("tui.cli.blocks:blocks", "Score the options after every block of a model."),
    "attention": Command(
        "tui.cli.blocks:attention",
        "Print where each head looks from the answer position.",
    ),
    "attribution": Command(
        "tui.cli.blocks:attribution",
        "Print what each part and head adds to the answer's lead.",
    ),
    "trace": Command("tui.cli.blocks:trace", "Copy spans block by block from a contrast prompt."),
    "patch": Command("tui.cli.blocks:patch", "Change parts of blocks and score the options again."),
    "evaluate": Command(
        "tui.cli.evaluate:evaluate", "Ask a model a whole collection and record every verdict."
    ),
    "models": Command("tui.cli.model_list:models", "List what --model may name."),
    "get": Group(
        "Fetch models and data from where their makers publish them.",
        {
            "model": Command(
                "tui.cli.get:get_model",
                "Fetch a GGUF model from where its makers publish it.",
            ),
            "data": Command(
                "tui.cli.get:get_data",
                "Fetch a data set from where its makers publish it, as it is.",
            ),
        },
    ),
    "doctor": Command("tui.cli.doctor:doctor", "Check that what the program needs is there."),
    "locate": Command(
        "tui.cli.locate:locate", "Print where your configuration, themes, data and runs are."
    ),
    "serve": Command(
        "tui.cli.serve:serve", "Open the program in a web browser, or let a room vote."
    ),
    "runs": Group(
        "List, read, compare and draw recorded runs.",
        {
            "list": Command("tui.cli.runs:list_runs", "List the recorded runs, the oldest first."),
            "show": Command("tui.cli.runs:show_run", "Print the figures of a run."),
            "agree": Command("tui.cli.runs:agree", "Print how far several runs agree."),
            "compare": Command(
                "tui.cli.comparison:compare_runs", "Compare runs question by question."
            ),
            "power": Command(
                "tui.cli.power:show_power",
                "Print which difference the questions of a run could show.",
            ),
            "export": Command(
                "tui.cli.run_export:export_runs", "Write runs to a file for other programs."
            ),
            "cite": Command(
                "tui.cli.citations:cite_runs", "Print what to cite for the figures of runs."
            ),
            "pack": Command(
                "tui.cli.packs:pack_runs", "Write runs to a file of their own, to hand on."
            ),
            "merge": Command(
                "tui.cli.merging:merge_runs",
                "Put together the shards of runs and studies of several machines.",
            ),
            "import": Command("tui.cli.packs:import_runs", "Add the runs of a pack to your own."),
            "backup": Command(
                "tui.cli.backups:back_up_runs", "Copy the store of runs while it is in use."
            ),
            "verify": Command(
                "tui.cli.backups:verify_runs", "Read again all that is recorded of every run."
            ),
            "plot": Command(
                "tui.cli.run_plot:plot_runs",
                "Draw runs as a picture for a paper, one column wide.",
            ),
        },
    ),
    "activations": Command(
        "tui.cli.activations:activations",
        "Write a model's residual stream about a collection to a file.",
    ),
    "study": Group(
        "Measure a collection between a model's blocks: findings with their controls.",
        {
            "trace": Command(
                "tui.cli.study:trace",
                "Trace all valid pairs; average by role of the span and block.",
            ),
            "heads": Command(
                "tui.cli.study:heads",
                "Copy each attention head in all valid pairs, and average.",
            ),
            "probe": Command(
                "tui.cli.study:probe",
                "Probe whether the right answer is decodable after each block.",
            ),
            "direction": Command(
                "tui.cli.study:direction",
                "Learn a direction on some groups, and add it on others.",
            ),
            "list": Command(
                "tui.cli.study:list_studies", "List the recorded studies, the oldest first."
            ),
            "show": Command(
                "tui.cli.study:show_study",
                "Print what a study found, or write it to a file.",
            ),
        },
    ),
    "cluster": Group(
        "Write scripts for the scheduler of a cluster.",
        {
            "slurm": Command(
                "tui.cli.cluster:slurm",
                "Write a script of SLURM jobs that ask shards and merge them.",
            ),
        },
    ),
    "published": Group(
        "List and show figures that papers published.",
        {
            "list": Command(
                "tui.cli.published:list_tables", "List the tables of published figures."
            ),
            "show": Command(
                "tui.cli.published:show_table",
                "Print a table of published figures, with its source.",
            ),
        },
    ),
    "lesson": Group(
        "List, run, follow, check, write and export lessons.",
        {
            "list": Command("tui.cli.lessons:list_lessons", "List the bundled lessons and yours."),
            "run": Command("tui.cli.lessons:run", "Run a lesson on the screen."),
            "follow": Command(
                "tui.cli.lessons:follow", "Follow a lesson that runs in another terminal."
            ),
            "check": Command(
                "tui.cli.lessons:check", "Check every claim, and for how many items the same holds."
            ),
            "new": Command("tui.cli.lessons:new", "Write a small lesson to begin with."),
            "export": Command("tui.cli.lessons:export", "Write a lesson as one HTML page."),
        },
    ),
    "import": Group(
        "Import other programs' logs as runs.",
        {
            "lm-eval": Command(
                "tui.cli.imports:import_lm_eval",
                "Import the logs that lm-evaluation-harness wrote for one model.",
            ),
            "inspect": Command("tui.cli.imports:import_inspect", "Import logs of Inspect AI."),
            "tiered": Command(
                "tui.cli.imports:import_tiered",
                "Print the figures of tiered logs, over pairs of stories.",
            ),
        },
    ),
    "com2": COM2,
    "accord": ACCORD,
    "abspyramid": ABSPYRAMID,
    "themes": Group(
        "Check themes.",
        {"check": Command("tui.cli.themes:check", "Check themes line by line.")},
    ),
    "config": Group(
        "Check and show the configuration.",
        {
            "check": Command("tui.cli.config:check", "Check a configuration."),
            "show": Command("tui.cli.config:show", "Print the configuration in use, as YAML."),
        },
    ),
}
