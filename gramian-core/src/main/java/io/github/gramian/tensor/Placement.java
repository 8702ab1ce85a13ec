package io.github.gramian.tensor;

import io.github.gramian.natives.internal.Natives;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.util.regex.Pattern;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;

/**
 * Where tensors live and how precise they are: {@code cpu}, {@code cuda}, {@code cuda:1}, {@code mps}; float or double.
 * Everything that makes tensors takes one, so that a GPU is one setting away. By itself it is plain Java, which a recipe can hold
 * without starting the engine.
 */
public record Placement(String device, Precision precision) {

    private static final Pattern DEVICE = Pattern.compile("cpu|mps|cuda(:\\d{1,3})?");

    public Placement {
        if (!DEVICE.matcher(device).matches()) {
            throw new IllegalArgumentException(
                    "device must be cpu, mps, cuda or cuda:N but is '" + device + "'; correct it in the settings");
        }
    }

    /** On the CPU. */
    public static Placement cpu(Precision precision) {
        return new Placement("cpu", precision);
    }

    /** The placement of an existing floating-point tensor. */
    public static Placement of(Tensor tensor) {
        return new Placement(tensor.device().str().getString(), ScalarTypes.precision(tensor));
    }

    /** The options that make LibTorch place a new tensor here. */
    public TensorOptions options() {
        Natives.ENGINE.unpack(); // the caller is about to make the first tensor
        return new TensorOptions()
                .dtype(new ScalarTypeOptional(ScalarTypes.of(precision)))
                .device(new DeviceOptional(new Device(device)));
    }

    /** The tensor itself if it is already here, otherwise a copy that is. */
    public Tensor place(Tensor tensor) {
        return tensor.to(new Device(device), ScalarTypes.of(precision));
    }
}
