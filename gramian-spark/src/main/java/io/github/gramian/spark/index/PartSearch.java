package io.github.gramian.spark.index;

import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.PartedIndex;
import io.github.gramian.similar.index.internal.PartsManifest;
import io.github.gramian.similar.index.internal.PhotoFilter;
import io.github.gramian.similar.index.internal.VectorIndex;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.lucene.search.Query;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;

/** Searches one part for all queries of a block. A part on a remote file system is copied to a local directory first. */
final class PartSearch implements Function<PartsManifest.Part, List<List<Hit>>> {

    private static final long serialVersionUID = 1L;

    private final Settings settings;
    private final Broadcast<float[][]> queries;
    private final Broadcast<SerializableConfiguration> hadoop;

    PartSearch(Settings settings, Broadcast<float[][]> queries, Broadcast<SerializableConfiguration> hadoop) {
        this.settings = settings;
        this.queries = queries;
        this.hadoop = hadoop;
    }

    /**
     * What all parts share.
     *
     * @param output folder of the parts
     * @param model path of the model
     * @param checksum of the reduction
     * @param top number of results per query
     */
    record Settings(
            String output,
            String model,
            String modelSha256,
            String checksum,
            int dimensions,
            int top,
            List<String> filters)
            implements Serializable {

        Manifest manifest() {
            return new Manifest(model, modelSha256, checksum, dimensions);
        }
    }

    @Override
    public List<List<Hit>> call(PartsManifest.Part part) throws IOException {
        IndexOutput output = new IndexOutput(settings.output(), hadoop.value().value());
        Optional<Path> local = output.local(part.name());
        if (local.isPresent()) {
            return search(local.get(), part);
        }
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path copy = folder.path().resolve(part.name());
            output.download(part.name(), copy);
            return search(copy, part);
        }
    }

    private List<List<Hit>> search(Path path, PartsManifest.Part part) throws IOException {
        @Nullable Query filter = PhotoFilter.of(settings.filters());
        List<List<Hit>> all = new ArrayList<>();
        try (VectorIndex index = PartedIndex.open(path, part, settings.manifest())) {
            for (float[] query : queries.value()) {
                List<Hit> hits = new ArrayList<>();
                for (VectorIndex.Neighbour near : index.search(query, settings.top(), filter)) {
                    hits.add(new Hit(near.photo().path(), near.photo().label(), near.similarity()));
                }
                all.add(hits);
            }
        }
        return all;
    }

    /** The results of two parts as those of one. */
    static List<List<Hit>> merged(List<List<Hit>> one, List<List<Hit>> other, int top) {
        List<List<Hit>> merged = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            merged.add(new ArrayList<>(Stream.concat(one.get(i).stream(), other.get(i).stream())
                    .sorted(Hit.NEAREST_FIRST)
                    .limit(top)
                    .toList()));
        }
        return merged;
    }
}
