package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.index.StandardDirectoryReader;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Bits;
import org.jspecify.annotations.Nullable;

/**
 * An index as it was at one commit, memory-mapped. Opening verifies our own files and the headers and footers of Lucene's;
 * {@link Verification} compares all checksums. Safe for use by many threads; only {@link #close} must come last.
 */
public final class VectorIndex implements PhotoSearch {

    /**
     * Candidates of a search. With 100, 4 of 1,000 queries in a million vectors found none of the ten nearest, because the search
     * ended in a wrong cluster; with 200, all found them (docs/similar.md).
     */
    public static final int CANDIDATES = 200;

    /** More results than a person or a page can use, and few enough for memory. */
    public static final int MAX_RESULTS = 10_000;

    /** How Lucene names a file among its classes. */
    private static final Pattern FILE = Pattern.compile("path=\"(?:[^\"]*/)?([^\"/]+)\"");

    private final Path path;
    private final Directory directory;
    private final DirectoryReader reader;
    private final IndexSearcher searcher;

    private VectorIndex(Path path, Directory directory, DirectoryReader reader) {
        this.path = path;
        this.directory = directory;
        this.reader = reader;
        this.searcher = new IndexSearcher(reader);
    }

    /**
     * Opens the latest commit.
     *
     * @param manifest of the index, which the commit must belong to
     */
    public static VectorIndex open(IndexFolder folder, Manifest manifest) throws IOException {
        if (!Files.isDirectory(folder.lucene())) {
            throw new IndexException(folder.path() + " holds no photographs yet; run gramian index again");
        }
        Directory directory = new MMapDirectory(folder.lucene());
        try {
            if (!DirectoryReader.indexExists(directory)) {
                throw new IndexException(folder.path() + " holds no photographs yet; run gramian index again");
            }
            VectorIndex index = new VectorIndex(folder.path(), directory, DirectoryReader.open(directory));
            PhotoSearch.Note.of(index.reader.getIndexCommit().getUserData()).require(manifest, folder.path());
            return index;
        } catch (IndexException | java.nio.file.FileSystemException failure) {
            directory.close();
            throw failure;
        } catch (IOException | RuntimeException failure) {
            directory.close();
            throw damaged(folder.path(), failure);
        }
    }

    static IndexException damaged(Path path, Exception failure) {
        Matcher file = FILE.matcher(String.valueOf(failure.getMessage()));
        return new IndexException(
                path + " is damaged" + (file.find() ? " in " + file.group(1) : "")
                        + "; build the index again, or restore a copy",
                failure);
    }

    /** Number of photographs. */
    @Override
    public int count() {
        return reader.numDocs();
    }

    /** Number of segments; each is searched separately. */
    public int segments() {
        return reader.leaves().size();
    }

    /** What the build noted with this commit. */
    @Override
    public PhotoSearch.Note note() throws IOException {
        return PhotoSearch.Note.of(reader.getIndexCommit().getUserData());
    }

    /** Whether there is no newer commit. Commits are compared by their random names, since another index may be in the place. */
    @Override
    public boolean isLatest() throws IOException {
        byte[] opened = ((StandardDirectoryReader) reader).getSegmentInfos().getId();
        return Arrays.equals(opened, SegmentInfos.readLatestCommit(directory).getId());
    }

    /** A photograph and its similarity to the query, −1 to 1. */
    public record Neighbour(Photo photo, float similarity) {}

    /**
     * The photographs whose vectors are nearest, the nearest first.
     *
     * @param query of unit length
     * @param filter photographs that may be returned; null for all
     */
    @Override
    public List<Neighbour> search(float[] query, int top, @Nullable Query filter) throws IOException {
        return search(query, top, filter, CANDIDATES);
    }

    /** The same with another number of candidates. */
    public List<Neighbour> search(float[] query, int top, @Nullable Query filter, int candidates) throws IOException {
        if (top < 1 || top > MAX_RESULTS) {
            throw new IllegalArgumentException("top must lie in 1.." + MAX_RESULTS + " but is " + top);
        }
        try {
            TopDocs found = searcher.search(
                    new KnnFloatVectorQuery(Lucene.VECTOR, query, Math.max(top, candidates), filter), top);
            StoredFields fields = searcher.storedFields();
            List<Neighbour> neighbours = new ArrayList<>();
            for (ScoreDoc hit : found.scoreDocs) {
                // Lucene's score of an inner product is (1 + product) / 2; rounding may lead above 1.
                float similarity = Math.min(1, 2 * hit.score - 1);
                neighbours.add(new Neighbour(Lucene.photo(fields.document(hit.doc)), similarity));
            }
            return neighbours;
        } catch (IndexOutOfBoundsException | IllegalStateException | NegativeArraySizeException failure) {
            throw damaged(path, failure);
        }
    }

    /** The vector of a photograph with this content, if there is one. */
    @Override
    public Optional<float[]> vectorOfContent(String sha256) throws IOException {
        return vector(new Term(Lucene.HASH, sha256));
    }

    /** The vector of the photograph at a path. */
    Optional<float[]> vectorOfPath(String photo) throws IOException {
        return vector(new Term(Lucene.PATH, photo));
    }

    private Optional<float[]> vector(Term term) throws IOException {
        TopDocs found = searcher.search(new TermQuery(term), 1);
        if (found.scoreDocs.length == 0) {
            return Optional.empty();
        }
        int document = found.scoreDocs[0].doc;
        for (LeafReaderContext leaf : reader.leaves()) {
            int local = document - leaf.docBase;
            if (local >= 0 && local < leaf.reader().maxDoc()) {
                FloatVectorValues values = leaf.reader().getFloatVectorValues(Lucene.VECTOR);
                if (values != null && values.advance(local) == local) {
                    return Optional.of(values.vectorValue().clone());
                }
            }
        }
        return Optional.empty();
    }

    /** All vectors, in the order in which they are stored. */
    public List<float[]> vectors() throws IOException {
        List<float[]> all = new ArrayList<>();
        for (LeafReaderContext leaf : reader.leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            FloatVectorValues values = leaf.reader().getFloatVectorValues(Lucene.VECTOR);
            if (values == null) {
                continue;
            }
            for (int i = values.nextDoc(); i != DocIdSetIterator.NO_MORE_DOCS; i = values.nextDoc()) {
                if (live == null || live.get(i)) {
                    all.add(values.vectorValue().clone());
                }
            }
        }
        return all;
    }

    /** Receives photographs. */
    @FunctionalInterface
    interface Visitor {
        void visit(Photo photo) throws IOException;
    }

    /** Visits all photographs, in the order in which they are stored. */
    void eachPhoto(Visitor visitor) throws IOException {
        for (LeafReaderContext leaf : reader.leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            StoredFields fields = leaf.reader().storedFields();
            for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    Document document = fields.document(i);
                    visitor.visit(Lucene.photo(document));
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            reader.close();
        }
    }
}
