package io.github.gramian.similar.index.internal;

import io.github.gramian.model.internal.NeighbourProvider;
import io.github.gramian.model.internal.NeighbourSearch;
import io.github.gramian.similar.vector.internal.Reduction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Indexes for programs that have descriptors, such as the server. */
public final class IndexNeighbours implements NeighbourProvider {

    @Override
    public NeighbourSearch open(Path index) throws IOException {
        PhotoSearch.Opened opened = PhotoSearch.Opened.of(index);
        return new Search(opened.settings().manifest(), opened.settings().reduction(), opened.photos());
    }

    private record Search(Manifest manifest, Reduction reduction, PhotoSearch vectors) implements NeighbourSearch {

        @Override
        public String model() {
            return manifest.model();
        }

        @Override
        public String modelSha256() {
            return manifest.modelSha256();
        }

        @Override
        public int count() {
            return vectors.count();
        }

        @Override
        public boolean isLatest() throws IOException {
            return vectors.isLatest();
        }

        @Override
        public void check(Query query) {
            if (query.top() > VectorIndex.MAX_RESULTS) {
                throw new IllegalArgumentException(
                        "top must lie in 1.." + VectorIndex.MAX_RESULTS + " but is " + query.top());
            }
            PhotoFilter.of(query.filters());
        }

        @Override
        public List<Neighbour> find(float[] descriptor, Query query) throws IOException {
            return vectors.search(reduction.apply(descriptor), query.top(), PhotoFilter.of(query.filters())).stream()
                    .map(near -> new Neighbour(near.photo().path(), near.photo().label(), near.similarity()))
                    .toList();
        }

        @Override
        public void close() throws IOException {
            vectors.close();
        }
    }
}
