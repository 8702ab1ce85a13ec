package io.github.gramian.train.stage.internal;

import io.github.gramian.layer.Parameter;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.recipe.StageConfig;
import java.util.List;
import java.util.Map;

/**
 * Learning rates of a stage: a rate for each {@linkplain Parameter.Role role} of a parameter, times a factor that all share and
 * that changes from step to step.
 *
 * @param images training images
 * @param branches of the network. Each brings the classifier a descriptor of length one, and the loss curves along the
 *     classifier's weights in proportion to the square of the whole length: its rate is divided by it.
 * @param depths of the backbone's parameters, by name: how many trained blocks lie between one and the features, 0 for the last.
 *     The rate of the backbone is multiplied by {@code layerDecay} once for each.
 */
record StageRates(StageConfig config, int images, int branches, Map<String, Integer> depths) {

    StageRates {
        depths = Map.copyOf(depths);
    }

    /** With a frozen backbone. */
    StageRates(StageConfig config, int images, int branches) {
        this(config, images, branches, Map.of());
    }

    /** The factor of all learning rates for the next step. */
    double factor(StageState state) {
        double scheduled = switch (config.pace().schedule()) {
            case CONSTANT -> 1;
            case COSINE -> 0.5 * (1 + Math.cos(Math.PI * Math.min(1.0, (double) state.step() / steps())));
            case PLATEAU -> state.plateau().rate();
        };
        double warm = config.pace().warmUp() == 0
                ? 1
                : Math.min(1, (state.step() + 1.0) / (config.pace().warmUp() + 1));
        return scheduled * warm;
    }

    /** Optimizer steps of the whole stage. */
    private long steps() {
        long imagesPerStep = (long) config.batches().batch() * config.batches().accumulate();
        long perEpoch = Math.max(1, (images + imagesPerStep - 1) / imagesPerStep);
        return Math.max(1, perEpoch * config.batches().epochs());
    }

    /** Every parameter with the rate, clip and decay of its role. */
    List<ParameterGroup> groups(List<Parameter> parameters) {
        return parameters.stream().map(this::group).toList();
    }

    private ParameterGroup group(Parameter parameter) {
        StageConfig.Rates rates = config.rates();
        ParameterGroup group = ParameterGroup.of(List.of(parameter));
        return switch (parameter.role()) {
            case CLASSIFIER ->
                group.withRateFactor(rates.classifier() / branches)
                        .withWeightDecay(config.regularisation().weightDecay());
            case CLASSIFIER_BIAS -> group.withRateFactor(rates.bias());
            case TRANSFORM -> group.withRateFactor(rates.transform()).withClip(rates.transformClip());
            case BACKBONE ->
                group.withRateFactor(rates.backbone()
                                * Math.pow(rates.layerDecay(), depths.getOrDefault(parameter.name(), 0)))
                        .withClip(rates.backboneClip())
                        .withWeightDecay(config.regularisation().weightDecay());
            case CONVOLUTION, CODEBOOK ->
                group.withRateFactor(rates.convolution())
                        .withClip(rates.convolutionClip())
                        .withWeightDecay(config.regularisation().weightDecay());
            case STATISTIC -> group; // a group without parameters: nothing moves it
        };
    }
}
