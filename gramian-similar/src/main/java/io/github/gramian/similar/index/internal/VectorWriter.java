package io.github.gramian.similar.index.internal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockObtainFailedException;
import org.apache.lucene.store.MMapDirectory;

/**
 * Writes photographs and their vectors, and commits now and then. Only one process at a time can have one for an index. What was not
 * committed is dropped when it is closed.
 */
public final class VectorWriter implements AutoCloseable {

    /** More segments than this are merged into one, since each is searched separately. */
    private static final int MAX_SEGMENTS = 6;

    private final String root;
    private final int commitEvery;
    private final Directory directory;
    private final IndexWriter writer;
    private long uncommitted;

    private VectorWriter(String root, int commitEvery, Directory directory, IndexWriter writer) {
        this.root = root;
        this.commitEvery = commitEvery;
        this.directory = directory;
        this.writer = writer;
    }

    /**
     * Locks the Lucene index of a folder.
     *
     * @param root directory of the photographs, which is stored with each commit
     */
    public static VectorWriter open(IndexFolder folder, String root, int commitEvery) throws IOException {
        Directory directory = new MMapDirectory(folder.lucene());
        try {
            return new VectorWriter(root, commitEvery, directory, new IndexWriter(directory, Lucene.writing()));
        } catch (LockObtainFailedException e) {
            directory.close();
            throw new IndexException(
                    folder.path() + " is in use by another process that builds it; wait for its end", e);
        } catch (FileSystemException e) {
            directory.close();
            throw e;
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw VectorIndex.damaged(folder.path(), e);
        }
    }

    /** Whether anything was committed so far, by this process or an earlier one. */
    boolean isCommitted() throws IOException {
        return DirectoryReader.indexExists(directory);
    }

    /** Adds a photograph, or replaces the one at its path. */
    public void add(Photo photo, float[] vector, Manifest manifest) throws IOException {
        writer.updateDocument(new Term(Lucene.PATH, photo.path()), Lucene.document(photo, vector));
        if (++uncommitted >= commitEvery) {
            commit(manifest, false);
        }
    }

    /** Adds a photograph without a look at its path: for new indexes, whose photographs may have equal paths. */
    void append(Photo photo, float[] vector) throws IOException {
        writer.addDocument(Lucene.document(photo, vector));
    }

    /** Removes the photograph at a path, if there is one. */
    void delete(String path) throws IOException {
        writer.deleteDocuments(new Term(Lucene.PATH, path));
    }

    /** Stores the work so far. */
    void commit(Manifest manifest, boolean complete) throws IOException {
        note(manifest, complete);
        writer.commit();
        uncommitted = 0;
    }

    private void note(Manifest manifest, boolean complete) {
        PhotoSearch.Note note = new PhotoSearch.Note(root, manifest.reduction(), complete);
        writer.setLiveCommitData(note.stored().entrySet());
    }

    /** Replaces all photographs, the manifest and the reduction by those of the next index, which is complete. */
    void take(IndexFolder folder) throws IOException {
        IndexFolder next = folder.next();
        writer.deleteAll();
        try (Directory from = new MMapDirectory(next.lucene())) {
            writer.addIndexes(from);
        }
        note(next.settings().manifest(), true);
        // Only renaming one file is left to do after the settings have changed.
        writer.prepareCommit();
        folder.takeSettings();
        writer.commit();
    }

    /**
     * Commits a complete index. A bulk load is merged into one segment; small changes are not, since a merge with deletions builds the
     * graph again.
     *
     * @param merging called before segments are merged, which can take minutes; all photographs can be searched from then on
     */
    public void finish(Manifest manifest, boolean bulk, Runnable merging) throws IOException {
        commit(manifest, true);
        int segments;
        try (DirectoryReader reader = DirectoryReader.open(writer)) {
            segments = reader.leaves().size();
        }
        if (segments > (bulk ? 1 : MAX_SEGMENTS)) {
            merging.run();
            writer.forceMerge(1);
            commit(manifest, true);
        }
    }

    long count() {
        return writer.getDocStats().numDocs;
    }

    /** The index as it was last committed; empty if nothing was. */
    Optional<VectorIndex> reader(IndexFolder folder, Manifest manifest) throws IOException {
        return isCommitted() ? Optional.of(VectorIndex.open(folder, manifest)) : Optional.empty();
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            writer.close();
        }
    }
}
