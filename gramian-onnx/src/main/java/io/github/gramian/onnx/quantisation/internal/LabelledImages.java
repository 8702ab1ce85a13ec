package io.github.gramian.onnx.quantisation.internal;

import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.onnx.parity.internal.SampleImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Images with the classes of a model.
 *
 * @param labels of the files: places among the model's classes
 */
record LabelledImages(List<Path> files, List<Integer> labels) {

    /** Fewer decide nothing. */
    private static final int MIN = 8;

    /** Images whose activations are observed, at most. */
    private static final int MAX_OBSERVED = 64;

    LabelledImages {
        files = List.copyOf(files);
        labels = List.copyOf(labels);
    }

    /** A folder with a folder of images for each class, named like it. */
    static LabelledImages in(Path root, List<String> classes) throws IOException {
        List<Path> files = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        List<Path> folders;
        try (Stream<Path> below = Files.list(root)) {
            folders = below.filter(Files::isDirectory).sorted().toList();
        }
        for (Path folder : folders) {
            String name = String.valueOf(folder.getFileName());
            int label = classes.indexOf(name);
            if (label < 0) {
                throw new IllegalArgumentException(folder
                        + " is not one of the model's classes; name the directories of labelled images like them: "
                        + shown(classes));
            }
            for (Path image : Layouts.images(folder)) {
                files.add(image);
                labels.add(label);
            }
        }
        if (files.size() < MIN) {
            throw new IllegalArgumentException(root + " holds " + files.size() + " labelled images; give at least "
                    + MIN + ", in one directory per class");
        }
        return new LabelledImages(files, labels);
    }

    private static String shown(List<String> classes) {
        return String.join(", ", classes.subList(0, Math.min(5, classes.size()))) + (classes.size() > 5 ? ", …" : "");
    }

    /** Those whose activations are observed: every fourth, or fewer evenly spread. */
    LabelledImages observed() {
        return where(true);
    }

    /** The others, on which accuracy is measured. */
    LabelledImages judged() {
        return where(false);
    }

    private LabelledImages where(boolean observed) {
        int every = Math.max(4, (files.size() + MAX_OBSERVED - 1) / MAX_OBSERVED);
        List<Integer> places = IntStream.range(0, files.size())
                .filter(i -> (i % every == 0) == observed)
                .boxed()
                .toList();
        return new LabelledImages(
                places.stream().map(files::get).toList(),
                places.stream().map(labels::get).toList());
    }

    SampleImages samples() {
        return SampleImages.ofFiles(files);
    }
}
