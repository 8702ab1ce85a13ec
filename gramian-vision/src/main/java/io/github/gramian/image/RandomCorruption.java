package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Collectors;

/** One of some corruptions at one of some severities, both drawn uniformly: for views that a classifier learns from. */
record RandomCorruption(List<CorruptionType> types, int lowest, int highest) implements Augmentation {

    RandomCorruption {
        types = List.copyOf(types);
        new Corruption(types.get(0), lowest);
        new Corruption(types.get(0), highest);
        if (lowest > highest) {
            throw new IllegalArgumentException(
                    "severities must go from the lower to the higher one but are " + lowest + "-" + highest);
        }
    }

    @Override
    public RgbImage apply(RgbImage view, Seed seed) {
        Draws draws = new Draws(seed);
        CorruptionType type = types.get(draws.upTo(types.size() - 1));
        int severity = lowest + draws.upTo(highest - lowest);
        return new Corruption(type, severity).apply(view, seed.child("corruption"));
    }

    @Override
    public String key() {
        String names = types.stream().map(CorruptionType::key).collect(Collectors.joining(","));
        return "corrupt:" + names + ":" + lowest + "-" + highest;
    }
}
