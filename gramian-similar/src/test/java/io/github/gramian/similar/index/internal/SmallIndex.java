package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A directory of files that {@link ContentModel} describes, and indexes of it. */
record SmallIndex(Path photos, Path index) {

    static SmallIndex in(Path folder) {
        return new SmallIndex(folder.resolve("photos"), folder.resolve("index"));
    }

    /** Files named 0.png, 1.png and so on, in two directories. */
    SmallIndex withPhotos(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            put((i % 2 == 0 ? "even/" : "odd/") + i + ".png", "content " + i);
        }
        return this;
    }

    void put(String path, String content) throws IOException {
        Path file = photos.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    SmallIndex at(Path other) {
        return new SmallIndex(photos, other);
    }

    static IndexBuild.Settings settings(Optional<Path> like) {
        return new IndexBuild.Settings(8, like, 4, 5, false);
    }

    IndexBuild.Result build(ContentModel model) throws IOException {
        return build(model, Optional.empty());
    }

    IndexBuild.Result build(ContentModel model, Optional<Path> like) throws IOException {
        return new IndexBuild(photos, model, index, settings(like), new IndexBuild.Listener() {}).run();
    }

    VectorIndex open() throws IOException {
        IndexFolder folder = new IndexFolder(index);
        return VectorIndex.open(folder, folder.settings().manifest());
    }

    /** Everything that is indexed: path and content → vector. */
    Map<String, List<Float>> content() throws IOException {
        Map<String, List<Float>> all = new TreeMap<>();
        try (VectorIndex opened = open()) {
            opened.eachPhoto(photo -> {
                List<Float> vector = new ArrayList<>();
                for (float value : opened.vectorOfPath(photo.path()).orElseThrow()) {
                    vector.add(value);
                }
                all.put(photo.path() + " " + photo.sha256() + " " + photo.millis(), vector);
            });
        }
        return all;
    }
}
