package io.github.gramian.image;

import java.nio.file.Path;
import java.util.List;

/** Numbered images. Called by many threads at once, in no particular order. */
public interface ImageSource {

    /** How many there are. */
    int count();

    /** Loads one, 0 to count−1; what cannot be loaded is a value too. */
    Decoded load(int index);

    /** The images of these files. */
    static ImageSource ofFiles(List<Path> files, ImageDecoder decoder) {
        List<Path> kept = List.copyOf(files);
        return new ImageSource() {
            @Override
            public int count() {
                return kept.size();
            }

            @Override
            public Decoded load(int index) {
                return decoder.decode(kept.get(index));
            }
        };
    }
}
