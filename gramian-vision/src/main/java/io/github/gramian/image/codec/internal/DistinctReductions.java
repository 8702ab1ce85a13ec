package io.github.gramian.image.codec.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Decodes an image for several scales of a network: once for each distinct reduction. A scale gets the pixels that it would
 * get alone. Most images, and all that are not JPEGs, are decoded once.
 */
public final class DistinctReductions {

    private final Function<Reduction, Decoded> decode;
    private final Map<Integer, Decoded> decoded = new HashMap<>();

    /** Upright size of a file that can be reduced; zero before it is known, and for other files. */
    private int width;

    private int height;

    private DistinctReductions(Function<Reduction, Decoded> decode) {
        this.decode = decode;
    }

    /** One result for each of the reductions; if decoding fails for one of them, all are rejected. */
    public static List<Decoded> decode(List<Reduction> reductions, Function<Reduction, Decoded> decode) {
        DistinctReductions shared = new DistinctReductions(decode);
        List<Decoded> all = new ArrayList<>();
        for (Reduction reduction : reductions) {
            Decoded next = all.isEmpty() ? shared.first(reduction) : shared.next(reduction, all.get(0));
            if (next instanceof Decoded.Rejected) {
                return Collections.nCopies(reductions.size(), next);
            }
            all.add(next);
        }
        return all;
    }

    private Decoded first(Reduction reduction) {
        Decoded image = decode.apply((w, h) -> {
            width = w;
            height = h;
            return reduction.of(w, h);
        });
        if (width > 0) {
            decoded.put(reduction.of(width, height), image);
        }
        return image;
    }

    private Decoded next(Reduction reduction, Decoded first) {
        // A decoder that does not ask for the reduction gives every pixel, whatever the reduction is.
        return width == 0 ? first : decoded.computeIfAbsent(reduction.of(width, height), by -> decode.apply(reduction));
    }
}
