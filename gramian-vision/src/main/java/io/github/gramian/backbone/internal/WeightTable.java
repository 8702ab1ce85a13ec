package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone.WeightSource;
import io.github.gramian.backbone.internal.Layers.BatchNorm;
import io.github.gramian.backbone.internal.Layers.Convolution;
import io.github.gramian.backbone.internal.Layers.Layer;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The weights of a network as it runs: placed, in channels-last layout, folded where that is allowed. It owns them. */
public final class WeightTable implements AutoCloseable {

    private final Map<String, Tensor> tensors = new LinkedHashMap<>();
    private final Map<String, Tensor> trainable = new LinkedHashMap<>();

    private WeightTable() {}

    /** Takes every weight of the plan from the source; frees what it has if the source fails. */
    public static WeightTable prepare(Plan plan, WeightSource source, BackboneOptions options) throws IOException {
        WeightTable table = new WeightTable();
        try {
            int firstTrainable =
                    options.trainableFrom() == null ? plan.steps().size() : plan.indexOf(options.trainableFrom());
            for (int index = 0; index < plan.steps().size(); index++) {
                Step step = plan.steps().get(index);
                try (Scope scope = Scope.open()) {
                    Map<String, Tensor> raw = table.load(step, source);
                    if (options.foldBatchNorm() && index < firstTrainable) {
                        for (Layer layer : step.layers()) {
                            fold(layer, raw);
                        }
                    }
                    // Low precision is for products only: statistics and trainable weights are in float.
                    Set<String> wide = new HashSet<>();
                    step.layers().forEach(layer -> layer.declareNorms((name, shape) -> wide.add(name)));
                    if (index >= firstTrainable || (index == 0 && plan.firstLayerInFloat())) {
                        wide.addAll(raw.keySet());
                    }
                    for (Map.Entry<String, Tensor> weight : raw.entrySet()) {
                        table.put(weight.getKey(), weight.getValue(), options.placement(), wide);
                        if (index >= firstTrainable) {
                            table.unfreeze(weight.getKey());
                        }
                    }
                }
            }
            return table;
        } catch (IOException | RuntimeException failure) {
            table.close();
            throw failure;
        }
    }

    private Map<String, Tensor> load(Step step, WeightSource source) throws IOException {
        Map<String, List<Long>> shapes = new LinkedHashMap<>();
        step.declare(shapes::put);
        Map<String, Tensor> raw = new LinkedHashMap<>();
        for (Map.Entry<String, List<Long>> weight : shapes.entrySet()) {
            Tensor tensor = source.weight(weight.getKey());
            if (!shape(tensor).equals(weight.getValue())) {
                throw new IllegalArgumentException("weight '" + weight.getKey() + "' must have shape "
                        + weight.getValue() + " but has " + shape(tensor) + "; these are another network's weights");
            }
            raw.put(weight.getKey(), tensor);
        }
        return raw;
    }

    /** w ← w·s, b ← β + (b − μ)·s with s = γ/√(σ² + ε) for each output channel, computed in double. */
    private static void fold(Layer layer, Map<String, Tensor> raw) {
        if (!(layer instanceof Convolution convolution) || convolution.norm() == null) {
            return;
        }
        BatchNorm norm = convolution.norm();
        Tensor gamma = take(raw, norm.name() + ".weight");
        Tensor beta = take(raw, norm.name() + ".bias");
        Tensor mean = take(raw, norm.name() + ".running_mean");
        Tensor variance = take(raw, norm.name() + ".running_var");
        Tensor scale = gamma.div(variance.add(new Scalar(norm.epsilon())).sqrt());
        Tensor weight = take(raw, convolution.name() + ".weight");
        Tensor offset =
                convolution.bias() ? take(raw, convolution.name() + ".bias").sub(mean) : mean.neg();
        raw.put(convolution.name() + ".weight", weight.mul(scale.view(-1, 1, 1, 1)));
        raw.put(convolution.name() + ".bias", beta.add(offset.mul(scale)));
    }

    private static Tensor take(Map<String, Tensor> raw, String name) {
        Tensor tensor = raw.remove(name);
        if (tensor == null) {
            throw new IllegalStateException("the plan does not declare " + name);
        }
        return tensor.to(ScalarType.Double);
    }

    private void put(String name, Tensor tensor, Placement placement, Set<String> wide) {
        boolean widen = wide.contains(name) && placement.precision() != Precision.DOUBLE;
        Precision precision = widen ? Precision.FLOAT : placement.precision();
        Tensor placed = new Placement(placement.device(), precision).place(tensor.detach());
        tensors.put(name, Scope.own(placed.dim() == 4 ? placed.contiguous(MemoryFormat.ChannelsLast) : placed));
    }

    private void unfreeze(String name) {
        if (!name.endsWith(".running_mean") && !name.endsWith(".running_var")) {
            Tensor weight = get(name);
            weight.set_requires_grad(true);
            trainable.put(name, weight);
        }
    }

    boolean has(String name) {
        return tensors.containsKey(name);
    }

    Tensor get(String name) {
        Tensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new IllegalStateException("weight '" + name + "' is gone; the backbone was closed");
        }
        return tensor;
    }

    /** The weight in the precision of the activation it meets; the cast passes gradients on to the weight. */
    Tensor get(String name, Tensor activation) {
        Tensor tensor = get(name);
        ScalarType type = activation.scalar_type();
        return tensor.scalar_type().value == type.value ? tensor : tensor.to(type);
    }

    TensorOptional optional(String name, Tensor activation) {
        return has(name) ? new TensorOptional(get(name, activation)) : new TensorOptional();
    }

    /** The weights that receive gradients, by name, from the first layer to the last. */
    public Map<String, Tensor> trainable() {
        return Collections.unmodifiableMap(trainable);
    }

    @Override
    public void close() {
        tensors.values().forEach(Scope::disown);
        tensors.clear();
        trainable.clear();
    }

    /** The sizes of all dimensions. */
    public static List<Long> shape(Tensor tensor) {
        return LongStream.range(0, tensor.dim()).map(tensor::size).boxed().toList();
    }
}
