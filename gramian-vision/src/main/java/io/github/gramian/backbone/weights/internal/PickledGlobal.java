package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.internal.TensorType;
import java.util.Map;

/**
 * The only names that a pickle may mention. In Python a name is looked up and called; here it is compared with this list
 * and stands for a few lines of {@link PickleReader}. A name never leads to any code.
 */
sealed interface PickledGlobal {

    /** An ordered dictionary. */
    record OrderedDict() implements PickledGlobal {}

    /** A tensor from a storage, an offset, sizes and strides. */
    record RebuildTensor() implements PickledGlobal {}

    /** A parameter from a tensor. */
    record RebuildParameter() implements PickledGlobal {}

    /** A tuple of sizes. */
    record Size() implements PickledGlobal {}

    /** A kind of storage. */
    record StorageKind(TensorType type) implements PickledGlobal {}

    /** Name → meaning. */
    Map<String, PickledGlobal> ALLOWED = Map.ofEntries(
            Map.entry("collections.OrderedDict", new OrderedDict()),
            Map.entry("torch._utils._rebuild_tensor", new RebuildTensor()),
            Map.entry("torch._utils._rebuild_tensor_v2", new RebuildTensor()),
            Map.entry("torch._utils._rebuild_parameter", new RebuildParameter()),
            Map.entry("torch.Size", new Size()),
            Map.entry("torch.DoubleStorage", new StorageKind(TensorType.F64)),
            Map.entry("torch.FloatStorage", new StorageKind(TensorType.F32)),
            Map.entry("torch.HalfStorage", new StorageKind(TensorType.F16)),
            Map.entry("torch.BFloat16Storage", new StorageKind(TensorType.BF16)),
            Map.entry("torch.LongStorage", new StorageKind(TensorType.I64)),
            Map.entry("torch.IntStorage", new StorageKind(TensorType.I32)),
            Map.entry("torch.ShortStorage", new StorageKind(TensorType.I16)),
            Map.entry("torch.CharStorage", new StorageKind(TensorType.I8)),
            Map.entry("torch.ByteStorage", new StorageKind(TensorType.U8)),
            Map.entry("torch.BoolStorage", new StorageKind(TensorType.BOOL)));

    /** The meaning of a name. */
    static PickledGlobal named(String module, String name) throws WeightsException {
        PickledGlobal meaning = ALLOWED.get(module + "." + name);
        if (meaning == null) {
            throw new WeightsException(
                    "the pickle names " + printable(module + "." + name) + ", which Gramian does not load: only"
                            + " tensors, containers, numbers and strings are read, and nothing is run. If you trust the file, load it"
                            + " in Python and save its state_dict() as safetensors");
        }
        return meaning;
    }

    private static String printable(String name) {
        return Text.shortened(name.replaceAll("[^\\x20-\\x7e]", "?"), 120);
    }
}
