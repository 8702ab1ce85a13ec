package io.github.gramian.bench.peer;

import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.ScalarTypes;
import io.github.gramian.tensor.internal.TensorBytes;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** A temporary directory with the peers' scripts and the data shared with them; deleted when closed. */
public final class PeerWorkspace implements AutoCloseable {

    private final TemporaryFolder folder;

    private PeerWorkspace(TemporaryFolder folder) {
        this.folder = folder;
    }

    /** Unpacks the scripts. */
    public static PeerWorkspace create() throws IOException {
        PeerWorkspace workspace = new PeerWorkspace(TemporaryFolder.create());
        try {
            workspace.unpack("harness.py");
            for (Peer peer : Peer.values()) {
                workspace.unpack(peer.script());
            }
            return workspace;
        } catch (IOException failure) {
            workspace.close();
            throw failure;
        }
    }

    private void unpack(String script) throws IOException {
        try (InputStream in = PeerWorkspace.class.getResourceAsStream(script)) {
            if (in == null) {
                throw new FileNotFoundException(script + " is not in the library; build it again");
            }
            Files.copy(in, folder().resolve(script));
        }
    }

    Path script(Peer peer) {
        return folder().resolve(peer.script());
    }

    /** Where a peer's standard error goes. */
    Path complaints(Peer peer) {
        return folder().resolve(peer.script() + ".err");
    }

    Path folder() {
        return folder.path();
    }

    /**
     * A tensor in a file that a peer reads.
     *
     * @param file of the raw values, little-endian
     * @param dtype as PyTorch calls it
     * @param shape of the tensor
     */
    public record Values(String file, String dtype, List<Long> shape) {}

    /** Writes a float or double tensor. */
    public Values write(String name, Tensor tensor) throws IOException {
        Path file = folder().resolve(name);
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            TensorBytes.write(tensor, out);
        }
        String dtype = ScalarTypes.precision(tensor) == Precision.DOUBLE ? "float64" : "float32";
        return new Values(
                file.toString(),
                dtype,
                Arrays.stream(tensor.sizes().vec().get()).boxed().toList());
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
