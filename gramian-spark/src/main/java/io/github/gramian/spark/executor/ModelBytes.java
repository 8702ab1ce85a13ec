package io.github.gramian.spark.executor;

import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A model's file in memory, on its way from the driver to executors: Spark hands it on from executor to executor, so that
 * the driver sends it once however many there are.
 */
public final class ModelBytes implements Serializable {

    private static final long serialVersionUID = 1;
    private static final int PIECE = 1 << 26;
    private static final long MAX = 16L << 30;

    private final List<byte[]> pieces;
    private final String sum;
    private transient @Nullable ModelDescription description;

    private ModelBytes(List<byte[]> pieces, String sum) {
        this.pieces = pieces;
        this.sum = sum;
    }

    /** Reads a file of any file system that Hadoop knows. */
    public static ModelBytes read(String file, Configuration hadoop) throws IOException {
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
        FileSystem files = path.getFileSystem(hadoop);
        if (!files.exists(path) || files.getFileStatus(path).isDirectory()) {
            throw new ModelException("there is no model " + files.makeQualified(path)
                    + "; give the path of a model.gramian that the driver can read");
        }
        if (files.getFileStatus(path).getLen() > MAX) {
            throw new ModelException(path + " has more than " + MAX + " bytes; that is not a model");
        }
        Sha256 sum = new Sha256();
        List<byte[]> pieces = new ArrayList<>();
        try (InputStream in = files.open(path)) {
            for (byte[] piece = in.readNBytes(PIECE); piece.length > 0; piece = in.readNBytes(PIECE)) {
                sum.write(ByteBuffer.wrap(piece));
                pieces.add(piece);
            }
        }
        return new ModelBytes(pieces, sum.hex());
    }

    /** SHA-256 of the file. */
    public String sum() {
        return sum;
    }

    /** Writes the file again. */
    public void writeTo(OutputStream out) throws IOException {
        for (byte[] piece : pieces) {
            out.write(piece);
        }
    }

    /** The model's description; no weights are loaded. Read once: it takes a file as long as the model. */
    public synchronized ModelDescription description() throws IOException {
        ModelDescription known = description;
        if (known == null) {
            known = withFile(file -> {
                try (StoredModel model = StoredModel.open(file)) {
                    return model.description();
                }
            });
            description = known;
        }
        return known;
    }

    /** Work on a local file. */
    interface Use<T> {
        T of(Path file) throws IOException;
    }

    /** Writes the model to a private local file for some work, and deletes it afterwards. */
    <T> T withFile(Use<T> use) throws IOException {
        Path file = Files.createTempFile("gramian-", ".model");
        try {
            try (OutputStream out = Files.newOutputStream(file)) {
                writeTo(out);
            }
            return use.of(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
