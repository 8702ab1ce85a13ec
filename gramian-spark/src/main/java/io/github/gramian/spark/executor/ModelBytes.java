package io.github.gramian.spark.executor;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.InferenceProvider;
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
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A model's file in memory, on its way from the driver to executors: Spark hands it on from executor to executor, so that
 * the driver sends it once however many there are.
 */
public final class ModelBytes implements Serializable {

    private static final long serialVersionUID = 2;
    private static final int PIECE = 1 << 26;
    private static final long MAX = 16L << 30;

    private static final String ONNX = ".onnx";

    private final List<byte[]> pieces;
    private final String sum;
    private final boolean onnx;
    private transient @Nullable Content content;

    private ModelBytes(List<byte[]> pieces, String sum, boolean onnx) {
        this.pieces = pieces;
        this.sum = sum;
        this.onnx = onnx;
    }

    /** Reads a file of any file system that Hadoop knows. */
    public static ModelBytes read(String file, Configuration hadoop) throws IOException {
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
        FileSystem files = path.getFileSystem(hadoop);
        if (!files.exists(path) || files.getFileStatus(path).isDirectory()) {
            throw new ModelException("there is no model " + files.makeQualified(path)
                    + "; give the path of a model.gramian that the driver can read");
        }
        if (isOnnx(path) && files.exists(path.suffix(".data"))) {
            throw new ModelException(
                    path + " has its weights in a second file, which Spark's jobs do not send to executors;"
                            + " export it again without --external-data");
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
        return new ModelBytes(pieces, sum.hex(), isOnnx(path));
    }

    /** By its name, as everywhere in Gramian. */
    private static boolean isOnnx(org.apache.hadoop.fs.Path path) {
        return path.getName().toLowerCase(Locale.ROOT).endsWith(ONNX);
    }

    /** Whether it is a file that {@code gramian export} has written, which ONNX Runtime computes. */
    public boolean isOnnx() {
        return onnx;
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

    /** The model's description; no weights are loaded. */
    public ModelDescription description() throws IOException {
        return content().description();
    }

    /** What the model stores about its training images. */
    public ModelCertainty reference() throws IOException {
        return content().reference();
    }

    /** Whether the model knows good parts only: then its descriptor is the score of a photograph, one number. */
    public boolean findsDefects() throws IOException {
        return content().findsDefects();
    }

    /** Read once: it takes a file as long as the model. */
    private synchronized Content content() throws IOException {
        Content known = content;
        if (known == null) {
            known = withFile(ModelBytes::content);
            content = known;
        }
        return known;
    }

    private record Content(ModelDescription description, ModelCertainty reference, boolean findsDefects) {}

    private static Content content(Path file) throws IOException {
        Optional<InferenceProvider> other = InferenceProvider.of(file);
        if (other.isPresent()) {
            try (Inference model = other.get().load(file, 1)) {
                return new Content(
                        model.description(),
                        model.reference(),
                        model.photographs().filter(PhotoReader::findsDefects).isPresent());
            }
        }
        try (StoredModel model = StoredModel.open(file)) {
            return new Content(
                    model.description(),
                    model.reference(),
                    model.photographs().flatMap(DenseParts::surface).isPresent());
        }
    }

    /** Work on a local file. */
    interface Use<T> {
        T of(Path file) throws IOException;
    }

    /** Writes the model to a private local file for some work, and deletes it afterwards. */
    <T> T withFile(Use<T> use) throws IOException {
        Path file = Files.createTempFile("gramian-", onnx ? ONNX : ".model");
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
