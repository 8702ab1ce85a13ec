"""Saves a small seeded network of torchvision as a TorchScript module that returns its feature maps.

usage: save_torchscript.py FOLDER
"""
import sys

import torch
import torchvision

torch.manual_seed(9)
network = torchvision.models.shufflenet_v2_x0_5().eval()
maps = torch.nn.Sequential(network.conv1, network.maxpool, network.stage2, network.stage3)
torch.jit.trace(maps, torch.zeros(1, 3, 64, 64)).save(f"{sys.argv[1]}/network.pt")
