package io.github.gramian.backbone;

import io.github.gramian.backbone.engine.internal.CheckedEngines;
import io.github.gramian.backbone.engine.internal.FrozenEngines;
import io.github.gramian.backbone.engine.internal.Shapes;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.FrozenEngineProvider;
import io.github.gramian.backbone.internal.Plan;
import io.github.gramian.backbone.internal.RandomWeights;
import io.github.gramian.backbone.internal.RowStream;
import io.github.gramian.backbone.internal.Step;
import io.github.gramian.backbone.internal.WeightTable;
import io.github.gramian.image.Normalisation;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * A built-in network with its weights: VGG, ResNet, ConvNeXt or a vision transformer. It runs the steps of a {@link Plan} one
 * after the other.
 */
public final class ConvolutionalBackbone implements Backbone {

    /** Where a network gets its weights when it is built: a file, a seed. */
    @FunctionalInterface
    public interface WeightSource {

        /** The weight of this name, as a floating-point tensor of the planned shape, in the current scope. */
        Tensor weight(String name) throws IOException;
    }

    private final Plan plan;
    private final WeightTable weights;
    private final Placement placement;
    private final String weightsHash;
    private final FrozenEngines engines;

    private ConvolutionalBackbone(Plan plan, WeightTable weights, BackboneOptions options, String weightsHash) {
        this.plan = plan;
        this.weights = weights;
        this.placement = options.placement();
        this.weightsHash = weightsHash;
        this.engines = options.allowsOtherEngine() ? checkedEngines() : FrozenEngines.none();
    }

    private FrozenEngines checkedEngines() {
        List<CheckedEngines.Opener> openers = FrozenEngineProvider.installed().stream()
                .map(provider -> new CheckedEngines.Opener(provider.name(), request -> provider.open(steps(), request)))
                .toList();
        CheckedEngines checked = new CheckedEngines(
                openers,
                (images, taps) -> List.copyOf(plainFeatures(images, taps).values()));
        // A vision transformer has positions for one number of patches; convolutions take images of all sizes.
        return new FrozenEngines(
                checked::open, Blueprint.of(plan.config().architecture()).granularity() == 1);
    }

    /**
     * A network with weights from a source.
     *
     * @param weightsHash the value that {@link #weightsHash()} returns
     */
    public static ConvolutionalBackbone of(
            BackboneConfig config, WeightSource source, String weightsHash, BackboneOptions options)
            throws IOException {
        Plan plan = Plan.of(config);
        return new ConvolutionalBackbone(plan, WeightTable.prepare(plan, source, options), options, weightsHash);
    }

    /** A network with weights drawn by He's rule, N(0, 2/fan-in), biases 0, scales 1, and norms that only normalise. */
    public static ConvolutionalBackbone random(BackboneConfig config, Seed seed, BackboneOptions options) {
        try {
            return of(config, new RandomWeights(config, seed), "random:" + seed.value(), options);
        } catch (IOException e) {
            throw new IllegalStateException("a seed cannot fail to be read", e);
        }
    }

    /** Which network it is. */
    public BackboneConfig config() {
        return plan.config();
    }

    /**
     * What it computes from images to its last layer, with its weights, which it owns.
     *
     * @throws IllegalStateException if batch-norms are not folded into the weights
     */
    public List<BackboneStep> steps() {
        return plan.steps().stream().map(step -> step.described(weights)).toList();
    }

    @Override
    public String name() {
        return plan.config().key();
    }

    @Override
    public Normalisation normalisation() {
        return plan.config().variant().normalisation();
    }

    @Override
    public Placement placement() {
        return placement;
    }

    @Override
    public String weightsHash() {
        return weightsHash;
    }

    /** Name and version of the engine that has computed features, if it was not LibTorch. */
    public Optional<String> otherEngine() {
        return engines.name();
    }

    @Override
    public List<Tap> taps() {
        return plan.taps();
    }

    @Override
    public Map<String, Tensor> parameters() {
        return weights.trainable();
    }

    @Override
    public Map<String, Tensor> parameters(List<String> taps) {
        Map<String, Tensor> found = new LinkedHashMap<>();
        trainableBlocks(taps)
                .forEach(block -> block.forEach(name -> found.put(
                        name, Objects.requireNonNull(weights.trainable().get(name)))));
        return found;
    }

    /** A block is a step of the plan: a residual block, or a convolution of a plain network. */
    @Override
    public List<List<String>> trainableBlocks(List<String> taps) {
        int last = taps.stream().mapToInt(plan::indexOf).max().orElse(-1);
        List<List<String>> blocks = new ArrayList<>();
        for (Step step : plan.steps().subList(0, last + 1)) {
            List<String> names = new ArrayList<>();
            step.declare((name, shape) -> {
                if (weights.trainable().containsKey(name)) {
                    names.add(name);
                }
            });
            if (!names.isEmpty()) {
                blocks.add(names);
            }
        }
        return blocks;
    }

    @Override
    public void requireLearning(String from, List<String> taps) {
        int last = taps.stream().mapToInt(plan::indexOf).max().orElse(-1);
        if (plan.indexOf(from) > last) {
            throw new IllegalArgumentException(
                    "'" + from + "' comes after " + String.join(", ", taps)
                            + ", where features are taken, so no layer of the backbone would be trained; name an earlier layer");
        }
    }

    /** A vision transformer takes whole patches. */
    @Override
    public void requireSize(long side) {
        int patch = Blueprint.of(plan.config().architecture()).granularity();
        if (side % patch != 0 || side < patch) {
            long below = Math.max(1, side / patch) * patch;
            throw new IllegalArgumentException(name() + " takes images in patches of " + patch + " pixels, and " + side
                    + " is not a multiple; use " + below + " or " + (below + patch));
        }
    }

    @Override
    public Map<String, Tensor> features(Tensor images, List<String> taps) {
        if (images.dim() != 4 || images.size(1) != 3) {
            throw new IllegalArgumentException(
                    "images must have shape [batch, 3, height, width] but have " + WeightTable.shape(images));
        }
        requireSize(images.size(2));
        requireSize(images.size(3));
        if (taps.isEmpty()) {
            throw new IllegalArgumentException("name at least one layer to take features from, such as "
                    + plan.taps().get(plan.taps().size() - 1).name());
        }
        List<String> distinct = taps.stream().distinct().toList();
        return engines.features(images, distinct)
                .map(found -> named(distinct, found))
                .orElseGet(() -> plainFeatures(images, taps));
    }

    /**
     * The features of one photograph of any size, from strips of its rows: the same as of one pass up to rounding, in memory that
     * depends on the width of the photograph alone. LibTorch computes them.
     *
     * @param photograph its strips from top to bottom, each [1, 3, rows, width], normalised; used in the scope of one strip
     * @param taps names or aliases
     * @param receiver gets a name of {@code taps}, and the next rows of its features [1, channels, rows, width]
     * @throws IllegalArgumentException if a layer of the network needs the whole photograph, as those of a vision transformer do
     */
    public void stream(Iterator<Tensor> photograph, List<String> taps, BiConsumer<String, Tensor> receiver) {
        int last = taps.stream().mapToInt(plan::indexOf).max().orElseThrow();
        try (RowStream stream =
                new RowStream(plan.steps().subList(0, last + 1), weights, firstPlacement(), placement)) {
            while (photograph.hasNext()) {
                try (Scope scope = Scope.open()) {
                    Tensor strip = photograph.next();
                    stream.push(
                            strip,
                            !photograph.hasNext(),
                            (step, rows) -> taps.stream()
                                    .filter(tap -> plan.indexOf(tap) == step)
                                    .forEach(tap -> receiver.accept(tap, rows)));
                }
            }
        }
    }

    /**
     * The pixel, from the left or from above, in the middle of what the first cell of a layer's maps looks at; that of cell i
     * comes i strides later.
     */
    public double firstCentre(String tap) {
        return plan.firstCentre(plan.indexOf(tap));
    }

    /** LibTorch computes one image, since another engine would have to be started. */
    @Override
    public Map<String, List<Long>> shapes(int size, List<String> taps) {
        requireSize(size);
        try (Scope scope = Scope.open()) {
            return Shapes.ofOne(plainFeatures(Shapes.blackImage(size), taps));
        }
    }

    private static Map<String, Tensor> named(List<String> taps, List<Tensor> features) {
        Map<String, Tensor> named = new LinkedHashMap<>();
        for (int i = 0; i < taps.size(); i++) {
            named.put(taps.get(i), features.get(i));
        }
        return named;
    }

    /** The features as LibTorch computes them, layer by layer. */
    private Map<String, Tensor> plainFeatures(Tensor images, List<String> taps) {
        Map<String, Integer> places = new LinkedHashMap<>();
        taps.forEach(tap -> places.put(tap, plan.indexOf(tap)));
        Map<Integer, Tensor> found = run(images, places.values().stream().toList());
        Map<String, Tensor> features = new LinkedHashMap<>();
        places.forEach((tap, place) -> features.put(tap, Objects.requireNonNull(found.get(place))));
        return features;
    }

    /**
     * One pass, up to the last step that is wanted: step → its features. Each step has a scope, so that an activation lives no
     * longer than the steps that read it.
     */
    private Map<Integer, Tensor> run(Tensor images, List<Integer> wanted) {
        int last = wanted.stream().mapToInt(Integer::intValue).max().orElseThrow();
        Map<Integer, Tensor> found = new LinkedHashMap<>();
        Tensor current;
        try (Scope scope = Scope.open()) {
            current = Scope.own(firstPlacement().place(images).contiguous(MemoryFormat.ChannelsLast));
        }
        try {
            for (int index = 0; index <= last; index++) {
                Tensor next;
                try (Scope scope = Scope.open()) {
                    next = Scope.own(placement.place(plan.steps().get(index).forward(current, weights)));
                    if (wanted.contains(index)) {
                        found.put(
                                index,
                                scope.promote(plan.steps().get(index).features(next, images.size(2), images.size(3))));
                    }
                }
                Scope.disown(current);
                current = next;
            }
            return found;
        } finally {
            Scope.disown(current);
        }
    }

    /** Where the first layer runs, and how precisely. */
    private Placement firstPlacement() {
        return plan.firstLayerInFloat() && placement.precision() != Precision.DOUBLE
                ? new Placement(placement.device(), Precision.FLOAT)
                : placement;
    }

    @Override
    public void close() {
        engines.close();
        weights.close();
    }
}
