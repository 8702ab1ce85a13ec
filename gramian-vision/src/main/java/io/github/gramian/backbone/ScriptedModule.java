package io.github.gramian.backbone;

import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.named_parameter_iterator;
import org.bytedeco.pytorch.named_parameter_list;
import org.jspecify.annotations.Nullable;

/** A scripted module of LibTorch: its parameters by name, and its outputs as a list of tensors. */
final class ScriptedModule implements AutoCloseable {

    private final String name;
    private final JitModule module;

    private ScriptedModule(String name, JitModule module) {
        this.name = name;
        this.module = module;
    }

    /** Loads a trusted file: this executes code in it. */
    static ScriptedModule load(Path trustedFile, String name, String deviceName, Precision precision)
            throws IOException {
        try (Scope scope = Scope.open()) {
            Device device = new Device(deviceName);
            JitModule module = torch.load(trustedFile.toString(), new DeviceOptional(device), true);
            module.eval();
            module.to(device, ScalarTypes.of(precision));
            module.retainReference();
            return new ScriptedModule(name, module);
        } catch (RuntimeException e) {
            throw new IOException(
                    trustedFile + " is not a TorchScript file (" + Text.firstLine(e) + "); save it with torch.jit.save",
                    e);
        }
    }

    String name() {
        return name;
    }

    /** Makes parameters trainable from the first one whose name starts with this; freezes the others, or all if it is null. */
    Map<String, Tensor> unfreeze(@Nullable String from) {
        Map<String, Tensor> trainable = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            named_parameter_list all = module.named_parameters(true);
            named_parameter_iterator each = all.begin();
            boolean reached = false;
            for (long index = 0; index < all.size(); index++) {
                String parameter = each.access().name().getString();
                Tensor weight = each.access().value();
                reached |= from != null && parameter.startsWith(from);
                weight.set_requires_grad(reached);
                if (reached) {
                    trainable.put(parameter, Scope.own(weight));
                }
                each.increment();
            }
            if (from != null && !reached) {
                throw new IllegalArgumentException(name + " has no parameter whose name starts with '" + from + "'");
            }
        }
        return Collections.unmodifiableMap(trainable);
    }

    List<Tensor> run(Tensor input) {
        return outputs(module.forward(new IValueVector(new IValue(input))));
    }

    private List<Tensor> outputs(IValue answer) {
        if (answer.isTensor()) {
            return List.of(answer.toTensor());
        }
        if (answer.isTuple()) {
            IValueVector elements = answer.toTupleRef().elements().vec();
            return IntStream.range(0, (int) elements.size())
                    .mapToObj(index -> elements.get(index).toTensor())
                    .toList();
        }
        if (answer.isTensorList()) {
            return List.of(answer.toTensorVector().get());
        }
        throw new IllegalArgumentException(name
                + " must return a tensor, a tuple of tensors or a list of tensors; wrap its forward so that it does");
    }

    /** The module's own error comes after the places in its code. */
    static String reason(RuntimeException engine) {
        return String.valueOf(engine.getMessage())
                .lines()
                .filter(line -> line.startsWith("RuntimeError: "))
                .findFirst()
                .orElseGet(() -> Text.firstLine(engine));
    }

    @Override
    public void close() {
        module.releaseReference();
    }
}
