package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dense.internal.ClassMap;
import io.github.gramian.dense.internal.ClassMapFit;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.recipe.MapConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Fits the map of classes that a model stores in addition, if the recipe asks for one. */
final class MapTraining {

    private static final int MIDDLE_STRIDE = 16;

    private final TrainingContext context;
    private final FeatureSet data;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();

    MapTraining(TrainingContext context, FeatureSet data) {
        this.context = context;
        this.data = data;
    }

    /** Refuses what has no map, before hours of training. */
    static void require(Recipe recipe, Backbone backbone) {
        if (!recipe.map().wanted()) {
            return;
        }
        if (recipe.stage2().runs()) {
            throw new IllegalArgumentException("a map of classes needs a frozen backbone; set map.layer to none, or"
                    + " train without fine-tuning");
        }
        layer(recipe.map(), backbone);
    }

    private static Tap layer(MapConfig map, Backbone backbone) {
        if (!(backbone instanceof ConvolutionalBackbone)) {
            throw new IllegalArgumentException("a map of classes needs a built-in network such as resnet50, and "
                    + backbone.name() + " is none; set map.layer to none");
        }
        return map.takesMiddle()
                ? backbone.lastOfStride(MIDDLE_STRIDE)
                        .orElseThrow(() -> new IllegalArgumentException(backbone.name() + " has no layer of stride "
                                + MIDDLE_STRIDE + "; name a layer with map.layer"))
                : backbone.tap(map.layer());
    }

    /** The map of all training and validation images; empty if the recipe asks for none. */
    Optional<DenseParts> fit() {
        Recipe recipe = context.recipe();
        if (!recipe.map().wanted()) {
            return Optional.empty();
        }
        ConvolutionalBackbone backbone = (ConvolutionalBackbone) data.frozen().backbone();
        String tap = layer(recipe.map(), backbone).name();
        List<Sample> samples = data.samples(FeatureSet.ALL);
        WholePhoto view = new WholePhoto(
                recipe.views()
                        .test(recipe.network().largestSize(), backbone.normalisation())
                        .resize(),
                Interpolation.BILINEAR,
                backbone.normalisation());
        double[] factors = new double[samples.size()];
        WholePhoto.Head whole = new WholePhoto.Head() {
            @Override
            public List<String> taps() {
                return List.of(tap);
            }

            @Override
            public Tensor reduce(int number, Tensor rows) {
                return rows;
            }
        };
        ClassMap map = ClassMapFit.fit(
                tap,
                recipe.map().window(),
                i -> {
                    context.cancellation().check();
                    WholePhoto.Opened opened =
                            view.open(decoder.open(data.dataset().file(samples.get(i))));
                    RgbImage seen = view.resized(opened)
                            .orElseThrow(() ->
                                    new IllegalStateException(samples.get(i).id() + ": "
                                            + opened.rejected().sentence() + "; it changed while the training ran"));
                    factors[i] = (double) seen.width() / opened.width();
                    context.options().listener().onEvent(new TrainingEvent.Features(i + 1, samples.size()));
                    return view.reduced(backbone, seen, whole).get(0);
                },
                samples.stream().mapToInt(Sample::label).toArray(),
                data.groups(FeatureSet.ALL),
                data.dataset().classes().size());
        Arrays.sort(factors);
        // A photograph is mapped at the scale at which the training images were seen.
        WholePhoto typical = new WholePhoto(
                new Resize.Factor(factors[factors.length / 2]), view.interpolation(), view.normalisation());
        return Optional.of(new DenseParts(typical, Optional.of(map), Optional.empty()));
    }
}
