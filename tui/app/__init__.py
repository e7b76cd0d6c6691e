"""The programs: they put shell, browse frame and features together, and start.

Panes, screens and what they compute belong to the features.

Imports stand at the top of modules. These are late, for these reasons:

* a screen, pane or menu that a key opens, with all that it needs (lessons, runs, wizard, models,
  export, pictures, palette, jumping, X-ray, trace): the first picture would wait for them;
* the drawing of graphs, heat maps, the store of runs, models' resolver: the same, and some of
  them import numpy, sqlite or llama.cpp;
* the apps in `opening` and the command line in `start`: only one of them is run.
"""
