package io.github.gramian.model.internal;

import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.internal.ImageBatch;
import io.github.gramian.image.internal.ImageLoader;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.Reading;
import io.github.gramian.tensor.Seed;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Loads many images in batches and delivers one reading per image, in their order. An image that cannot be read becomes a
 * rejected reading.
 */
record ReadingLoop(
        ImageSource source, IntFunction<String> names, List<Preprocessing> preprocessing, LoaderSettings settings) {

    /** Inference does not augment, so nothing is random. */
    private static final Seed NO_SEED = new Seed(0);

    /** The outputs of a network for images that already are its input. */
    @FunctionalInterface
    interface Network {
        List<Reading> read(List<String> names, List<InputPixels> inputs);
    }

    void run(Network network, Consumer<Reading> receiver) {
        int[] order = IntStream.range(0, source.count()).toArray();
        try (ImageLoader loader = new ImageLoader(source, order, preprocessing, settings, NO_SEED::child)) {
            while (loader.hasNext()) {
                ImageBatch batch = loader.next();
                Collection<Reading> readings = readings(network, batch);
                readings.forEach(receiver);
            }
        }
    }

    /** The readings of a batch in the order of the images, whichever were rejected. */
    private Collection<Reading> readings(Network network, ImageBatch batch) {
        Map<Integer, Reading> all = new TreeMap<>();
        for (ImageBatch.Reject reject : batch.rejects()) {
            String why = reject.why().sentence();
            all.put(reject.index(), Reading.rejected(names.apply(reject.index()), why));
        }
        List<Integer> whole = batch.indices();
        if (!whole.isEmpty()) {
            List<Reading> read = network.read(whole.stream().map(names::apply).toList(), batch.scales());
            for (int i = 0; i < read.size(); i++) {
                all.put(whole.get(i), read.get(i));
            }
        }
        return all.values();
    }
}
