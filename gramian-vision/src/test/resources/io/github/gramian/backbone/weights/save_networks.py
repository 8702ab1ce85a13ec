"""Saves seeded networks in every PyTorch format, with an input and the features Python computes from it."""
import json
import struct
import sys

import torch
import torchvision

def save_safetensors(path, tensors):
    header, blobs, offset = {}, [], 0
    kinds = {torch.float32: "F32", torch.int64: "I64"}
    for name, tensor in tensors.items():
        blob = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def shake(model):
    """Gives batch-norms something to do; freshly made ones are the identity."""
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.3, 0.9)
            torch.nn.init.normal_(module.bias, 0, 0.1)
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)


def features(name, model, images):
    if name == "vgg16":
        return {"conv5_3": model.features[:30](images)}
    x = model.maxpool(model.relu(model.bn1(model.conv1(images))))
    third = model.layer3(model.layer2(model.layer1(x)))
    fourth = model.layer4(third)
    return {"res4f": third, "res5c": fourth, "fc": model.fc(torch.flatten(model.avgpool(fourth), 1))}


def save_all(folder):
    for name in ("vgg16", "resnet50"):
        torch.manual_seed(7)
        model = getattr(torchvision.models, name)()
        shake(model)
        model.eval()
        state = model.state_dict()
        if name == "vgg16":
            # Without its 120 million classifier weights; this is how features are usually shipped.
            for key in [key for key in state if key.startswith("classifier.")]:
                del state[key]
        images = torch.randn(2, 3, 96, 96)
        torch.save(state, f"{folder}/{name}-zip")
        torch.save({"state_dict": state, "epoch": 3, "best": 0.5}, f"{folder}/{name}-legacy",
                   _use_new_zipfile_serialization=False)
        save_safetensors(f"{folder}/{name}-safetensors", state)
        save_safetensors(f"{folder}/{name}-expected", {"images": images, **features(name, model, images)})


if __name__ == "__main__":
    with torch.no_grad():
        save_all(sys.argv[1])
