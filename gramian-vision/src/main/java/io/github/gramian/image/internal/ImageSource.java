package io.github.gramian.image.internal;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.internal.DistinctReductions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Numbered images. Called by many threads at once, in no particular order. */
public interface ImageSource {

    int count();

    /** Loads one, 0 to count−1; what cannot be loaded is a value too. */
    Decoded load(int index, Reduction reduction);

    /** The same for several scales of a network; decodes once for each distinct reduction. */
    default List<Decoded> load(int index, List<Reduction> reductions) {
        return DistinctReductions.decode(reductions, reduction -> load(index, reduction));
    }

    static ImageSource ofFiles(List<Path> files, ImageDecoder decoder) {
        List<Path> copy = List.copyOf(files);
        return numbered(copy.size(), index -> decoder.open(copy.get(index)));
    }

    /** The images of these files as long as their contents have these SHA-256; a file that was changed is rejected. */
    static ImageSource ofFiles(List<Path> files, List<String> sums, ImageDecoder decoder) {
        List<Path> copy = List.copyOf(files);
        List<String> known = List.copyOf(sums);
        return numbered(copy.size(), index -> decoder.open(copy.get(index), known.get(index)));
    }

    private static ImageSource numbered(int count, IntFunction<Function<Reduction, Decoded>> open) {
        return new ImageSource() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public Decoded load(int index, Reduction reduction) {
                return open.apply(index).apply(reduction);
            }

            @Override
            public List<Decoded> load(int index, List<Reduction> reductions) {
                return DistinctReductions.decode(reductions, open.apply(index));
            }
        };
    }
}
