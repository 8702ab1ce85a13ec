package io.github.gramian.backbone;

import io.github.gramian.image.Normalisation;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.ScalarTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.named_parameter_iterator;
import org.bytedeco.pytorch.named_parameter_list;
import org.jspecify.annotations.Nullable;

/**
 * A backbone from a TorchScript file, for networks that are not built in. Its {@code forward} takes images [batch, 3,
 * height, width] and returns one tensor, or a tuple or list of tensors, each [batch, channels, height, width] or [batch,
 * channels].
 *
 * <p><strong>A TorchScript file contains executable code.</strong> Loading or running one executes that code with the
 * privileges of this process. Load only files whose code you trust. To import weights alone, use {@code gramian weights
 * import}, which executes nothing.
 *
 * <p>The options name the taps, in the order of the outputs. Every call runs the whole network, even if only some taps are
 * requested. If {@code forward} of the module changes no state, several threads may use the backbone.
 */
public final class TorchScriptBackbone implements Backbone {

    /**
     * Settings that the file does not contain.
     *
     * @param taps names for its outputs, in their order; none for {@code features}, or {@code output1}, {@code output2}, … if
     *     there are several
     * @param probeSize side of the square image with which channels and strides are found out
     */
    public record Interface(List<String> taps, Normalisation normalisation, int probeSize) {

        public Interface {
            taps = List.copyOf(taps);
            if (taps.stream().distinct().count() != taps.size()) {
                throw new IllegalArgumentException("name every output of the TorchScript file once but got " + taps);
            }
            if (probeSize < 1 || probeSize > 4096) {
                throw new IllegalArgumentException("probeSize must lie in 1..4096 but is " + probeSize + "; try 224");
            }
        }

        /** Names for this many outputs. */
        List<String> names(int outputs) {
            if (!taps.isEmpty()) {
                return taps;
            }
            return outputs == 1
                    ? List.of("features")
                    : IntStream.rangeClosed(1, outputs)
                            .mapToObj(number -> "output" + number)
                            .toList();
        }
    }

    /** What the name of every such backbone begins with. */
    public static final String PREFIX = "torchscript:";

    private final String name;
    private final Interface description;
    private final Placement placement;
    private final String weightsHash;
    private final ScriptedModule module;
    private final Map<String, Tensor> parameters;
    private final List<Tap> taps;
    private final Set<Long> sides = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private TorchScriptBackbone(
            Interface description, BackboneOptions options, String weightsHash, ScriptedModule module) {
        this.name = module.name();
        this.description = description;
        this.placement = options.placement();
        this.weightsHash = weightsHash;
        this.module = module;
        this.parameters = module.unfreeze(options.trainableFrom());
        try {
            this.taps = probe();
        } catch (RuntimeException e) {
            parameters.values().forEach(Scope::disown);
            throw e;
        }
    }

    /**
     * Loads a trusted file.
     *
     * @param weightsHash SHA-256 of the file, for cache keys
     * @param options batch-norms are part of the scripted module and are not folded; {@code trainableFrom} is the beginning of a
     *     parameter's name
     */
    public static TorchScriptBackbone load(
            Path trustedFile, String weightsHash, Interface description, BackboneOptions options) throws IOException {
        if (!Files.isRegularFile(trustedFile)) {
            throw new IOException(trustedFile + " is not a file; name a TorchScript file saved by torch.jit.save");
        }
        ScriptedModule module = ScriptedModule.load(
                trustedFile,
                PREFIX + trustedFile.getFileName(),
                options.placement().device(),
                precision(options));
        try {
            return new TorchScriptBackbone(description, options, weightsHash, module);
        } catch (RuntimeException e) {
            module.close();
            throw e;
        }
    }

    /** A scripted module cannot cast its weights while it runs, so all weights are in float if some are trainable. */
    private static Precision precision(BackboneOptions options) {
        Precision asked = options.placement().precision();
        return options.trainableFrom() == null || asked == Precision.DOUBLE ? asked : Precision.FLOAT;
    }

    /** Runs one black image to learn the shapes. */
    private List<Tap> probe() {
        try (Scope scope = Scope.open()) {
            long size = description.probeSize();
            List<Tensor> outputs = runBlack(size);
            List<String> names = description.names(outputs.size());
            if (outputs.size() != names.size()) {
                throw new IllegalArgumentException(name + " returns " + outputs.size() + " tensors but " + names.size()
                        + " names were given for them: " + names);
            }
            return IntStream.range(0, outputs.size())
                    .mapToObj(index -> tap(names.get(index), outputs.get(index), size))
                    .toList();
        }
    }

    private List<Tensor> runBlack(long side) {
        try {
            List<Tensor> outputs = run(torch.zeros(1, 3, side, side));
            sides.add(side);
            return outputs;
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    name + " fails on an image of " + side + " px (" + ScriptedModule.reason(e)
                            + "); give it images of the size that it was made for, as size in the recipe's network.branches",
                    e);
        }
    }

    private Tap tap(String output, Tensor features, long imageSize) {
        if (features.dim() < 2) {
            throw new IllegalArgumentException(name + " gives '" + output + "' with " + features.dim()
                    + " dimensions; an output must be [batch, channels, height, width] or [batch, channels]");
        }
        int stride = features.dim() == 4 ? (int) Math.round((double) imageSize / features.size(2)) : 0;
        return new Tap(output, List.of(), (int) features.size(1), stride);
    }

    private List<Tensor> run(Tensor images) {
        if (closed) {
            throw new IllegalStateException(name + " was closed");
        }
        boolean narrow = parameters.isEmpty() || placement.precision() == Precision.DOUBLE;
        Placement inside = narrow ? placement : new Placement(placement.device(), Precision.FLOAT);
        Tensor input = inside.place(images).contiguous(MemoryFormat.ChannelsLast);
        return module.run(input);
    }

    @Override
    public Map<String, Tensor> features(Tensor images, List<String> asked) {
        Map<String, Tensor> features = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            List<Tensor> outputs = run(images);
            for (String tap : asked) {
                Tensor output = outputs.get(taps.indexOf(tap(tap)));
                features.put(tap, scope.promote(placement.place(output)));
            }
        }
        return features;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Normalisation normalisation() {
        return description.normalisation();
    }

    @Override
    public Placement placement() {
        return placement;
    }

    @Override
    public String weightsHash() {
        return weightsHash;
    }

    @Override
    public List<Tap> taps() {
        return taps;
    }

    @Override
    public Map<String, Tensor> parameters() {
        return parameters;
    }

    /** Models do not contain the weights of a scripted module, so they are never trained. */
    @Override
    public void requireLearning(String from, List<String> asked) {
        throw new IllegalArgumentException(name + " is a TorchScript module, which cannot be fine-tuned;"
                + " set stage2.epochs to 0, or train on a built-in network (gramian weights import)");
    }

    /** The sizes that a scripted module accepts are unknown, so it runs once on a black image of each size. */
    @Override
    public void requireSize(long side) {
        if (!sides.contains(side)) {
            try (Scope scope = Scope.open()) {
                runBlack(side);
            }
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            parameters.values().forEach(Scope::disown);
            module.close();
        }
    }

    /** A scripted module of LibTorch: its parameters by name, and its outputs as a list of tensors. */
    static final class ScriptedModule implements AutoCloseable {

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
                        trustedFile + " is not a TorchScript file (" + Text.firstLine(e)
                                + "); save it with torch.jit.save",
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
                    throw new IllegalArgumentException(
                            name + " has no parameter whose name starts with '" + from + "'");
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
            throw new IllegalArgumentException(
                    name
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
}
