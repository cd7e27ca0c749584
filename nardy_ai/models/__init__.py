"""Value nets: their layers, the model file, the PyTorch net that learns and the native evaluator."""
