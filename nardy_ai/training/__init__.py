"""Learning from self-play: configs, workers, targets, the learner, the run folder and the loop.

`training.config` and `training.run_folder` need no PyTorch; `training.loop` has `train` and `resume`.
"""
