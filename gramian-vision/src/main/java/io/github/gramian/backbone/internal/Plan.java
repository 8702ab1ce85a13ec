package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Tap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a network is made of, without weights: its steps in order, and the name and shape of every weight they need. */
public final class Plan {

    private final BackboneConfig config;
    private final List<Step> steps;

    private Plan(BackboneConfig config, List<Step> steps) {
        this.config = config;
        this.steps = List.copyOf(steps);
    }

    /** The plan of a built-in network. */
    public static Plan of(BackboneConfig config) {
        return new Plan(config, Blueprint.of(config.architecture()).steps(config.variant(), config.classes()));
    }

    /** What it is the plan of. */
    public BackboneConfig config() {
        return config;
    }

    /** The places where features can be taken. */
    public List<Tap> taps() {
        return steps.stream().map(Step::tap).toList();
    }

    /** Name → shape of every weight, from the first layer to the last. */
    public Map<String, List<Long>> weights() {
        Map<String, List<Long>> weights = new LinkedHashMap<>();
        steps.forEach(step -> step.declare(weights::put));
        return weights;
    }

    /** The number of values of all weights, including the statistics of batch-norm. */
    public long valueCount() {
        return weights().values().stream()
                .mapToLong(shape -> shape.stream().reduce(1L, (a, b) -> a * b))
                .sum();
    }

    /** Whether the first layer must not run below float. */
    public boolean firstLayerInFloat() {
        return Blueprint.of(config.architecture()).firstLayerInFloat();
    }

    /** From images to the last layer. */
    public List<Step> steps() {
        return steps;
    }

    /**
     * The pixel, from the left or from above, in the middle of what the first cell of a step's maps looks at. Cell i looks at the
     * pixels around this one plus i strides.
     */
    public double firstCentre(int step) {
        double centre = 0;
        int stride = 1;
        for (Step one : steps.subList(0, step + 1)) {
            for (int[] window : one.windows()) {
                centre += stride * ((window[0] - 1) / 2.0 - window[2]);
                stride *= window[1];
            }
        }
        return centre;
    }

    /** The place of the step whose tap has this name or alias. */
    public int indexOf(String layer) {
        for (int index = 0; index < steps.size(); index++) {
            if (steps.get(index).tap().isCalled(layer)) {
                return index;
            }
        }
        throw new IllegalArgumentException(config.key() + " has no layer '" + layer + "'; it has "
                + taps().stream().map(Tap::name).toList());
    }
}
