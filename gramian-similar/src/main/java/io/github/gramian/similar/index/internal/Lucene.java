package io.github.gramian.similar.index.internal;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.lucene912.Lucene912Codec;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.VectorSimilarityFunction;

/** How photographs are stored in Lucene. */
final class Lucene {

    static final String PATH = "path";
    static final String LABEL = "label";
    static final String HASH = "hash";
    static final String TIME = "time";
    static final String VECTOR = "vector";

    private static final String BYTES = "bytes";
    private static final String MILLIS = "millis";

    /** Neighbours of a node of the graph, and candidates while it is built; docs/similar.md has the measurements. */
    private static final int NEIGHBOURS = 32;

    private static final int BEAM = 200;

    private static final double MEBIBYTE = 1 << 20;

    /** In mebibytes. A large buffer writes few segments, and merging segments builds their graphs again. Lucene accepts up to 1,945. */
    private static final double MAX_BUFFER = 1900;

    private static final double HEAP_SHARE = 4;

    /** On newer Java versions Lucene prints advice about JVM options, which is of no use to users of a command. */
    private static final Logger ADVICE =
            Logger.getLogger("org.apache.lucene.internal.vectorization.VectorizationProvider");

    static {
        ADVICE.setLevel(Level.SEVERE);
    }

    private Lucene() {}

    /** Writing with the graph's settings and a buffer that fits into the heap. */
    static IndexWriterConfig writing() {
        double heap = Runtime.getRuntime().maxMemory() / MEBIBYTE;
        return new IndexWriterConfig(null)
                .setCodec(new GraphCodec())
                .setCommitOnClose(false)
                .setRAMBufferSizeMB(Math.min(MAX_BUFFER, heap / HEAP_SHARE));
    }

    private static final class GraphCodec extends Lucene912Codec {

        private final KnnVectorsFormat format = new Lucene99HnswVectorsFormat(NEIGHBOURS, BEAM);

        @Override
        public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
            return format;
        }
    }

    /** A photograph with its vector, which must have length 1: Lucene does not check that. */
    static Document document(Photo photo, float[] vector) {
        Document document = new Document();
        document.add(new StringField(PATH, photo.path(), Field.Store.YES));
        document.add(new StringField(LABEL, photo.label(), Field.Store.NO));
        document.add(new StringField(HASH, photo.sha256(), Field.Store.YES));
        document.add(new LongPoint(TIME, photo.millis()));
        document.add(new StoredField(BYTES, photo.bytes()));
        document.add(new StoredField(MILLIS, photo.millis()));
        document.add(new KnnFloatVectorField(VECTOR, vector, VectorSimilarityFunction.DOT_PRODUCT));
        return document;
    }

    /** @throws IndexException if a field is missing, which flipped bits can cause */
    static Photo photo(Document document) {
        try {
            return new Photo(
                    document.getField(PATH).stringValue(),
                    document.getField(HASH).stringValue(),
                    document.getField(BYTES).numericValue().longValue(),
                    document.getField(MILLIS).numericValue().longValue());
        } catch (NullPointerException e) {
            throw new IndexException("a stored photograph lacks a field; the index is damaged: build it again", e);
        }
    }
}
