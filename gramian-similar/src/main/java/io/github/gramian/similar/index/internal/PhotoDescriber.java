package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.FileNames;
import io.github.gramian.model.Reading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Describes the photographs of a directory with a model, except for those whose descriptors are known. */
final class PhotoDescriber {

    private final Path root;
    private final IndexModel model;
    private final int batch;
    private final IndexBuild.Listener listener;

    private final Set<String> rejected = new LinkedHashSet<>();
    private Map<String, float[]> known = Map.of();
    private long done;

    PhotoDescriber(Path root, IndexModel model, int batch, IndexBuild.Listener listener) {
        this.root = root;
        this.model = model;
        this.batch = batch;
        this.listener = listener;
    }

    @FunctionalInterface
    interface Receiver {
        void accept(Photo photo, float[] descriptor) throws IOException;
    }

    /** Uses these descriptors, by content, from now on. */
    void remember(Map<String, float[]> descriptors) {
        known = descriptors;
    }

    boolean remembers(Photo photo) {
        return known.containsKey(photo.sha256());
    }

    /** Paths of the files that are not images that can be read. */
    Set<String> rejected() {
        return rejected;
    }

    /**
     * Describes photographs in their order, after those that are known.
     *
     * @param total number of photographs of the whole work, for the listener
     * @param writer removes photographs that are rejected: their earlier content must not be found any more
     */
    void describe(List<Photo> photos, long total, VectorWriter writer, Receiver receiver) throws IOException {
        List<Photo> unknown = new ArrayList<>();
        for (Photo photo : photos) {
            float[] descriptor = known.get(photo.sha256());
            if (descriptor == null) {
                unknown.add(photo);
            } else {
                receiver.accept(photo, descriptor);
                listener.described(++done, total);
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        List<Path> files = unknown.stream()
                .map(photo -> FileNames.within(root, photo.path()))
                .toList();
        int[] next = {0};
        model.describe(files, batch, reading -> {
            try {
                receive(unknown.get(next[0]++), reading, writer, receiver);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            listener.described(++done, total);
        });
    }

    private void receive(Photo photo, Reading reading, VectorWriter writer, Receiver receiver) throws IOException {
        Optional<String> rejection = reading.prediction().rejection();
        if (rejection.isPresent()) {
            rejected.add(photo.path());
            listener.note(photo.path() + ": " + rejection.get());
            writer.delete(photo.path());
        } else {
            receiver.accept(photo, reading.descriptor());
        }
    }
}
