package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.fuzz.FindingException;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.io.internal.TarFuzz;
import io.github.gramian.io.internal.TarWriter;
import io.github.gramian.tensor.Scope;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.jhdf.api.WritableGroup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;

/** Weights as others publish them. Every opened file is read to its last value, too. */
public final class WeightsFuzz {

    private static final String MODEL = """
            {"modelTopology": {"model_config": {"config": {"layers": [
               {"class_name": "BatchNormalization", "config": {"epsilon": 0.001}}]}}},
             "weightsManifest": [{"paths": ["s1.bin", "s2.bin"], "weights": [
               {"name": "a/kernel", "shape": [2, 2], "dtype": "float32"},
               {"name": "a/bias", "shape": [3], "dtype": "float32"}]}]}
            """;
    private static final int MAX_TENSORS = 16;

    private final Scratch scratch = new Scratch();

    private WeightsFuzz() {}

    public static List<FuzzTarget> targets() {
        WeightsFuzz here = new WeightsFuzz();
        return List.of(
                here.target("torch-zip", here::zips, here::readZip),
                here.target("torch-legacy", here::legacy, here::readLegacy),
                here.target("tfjs", () -> List.of(utf8(MODEL)), here::readFolder),
                here.target("tgz", here::archives, here::readArchive),
                here.target("keras", here::keras, here::readKeras));
    }

    private FuzzTarget target(String name, FuzzTarget.Seeds seeds, FuzzTarget.Reader reader) {
        return FuzzTarget.of(name, seeds, reader, WeightsException.class);
    }

    private List<byte[]> zips() throws IOException {
        Path file = TorchFiles.zip(scratch.folder().resolve("seed"), TorchFiles.stateDict(false), 8);
        return List.of(TorchFiles.stateDict(false), Files.readAllBytes(file));
    }

    /** A zip, or the pickle in one. */
    private void readZip(byte[] bytes) throws IOException {
        boolean zip = bytes.length > 1 && bytes[0] == 'P' && bytes[1] == 'K';
        Path file = zip
                ? scratch.file("a.pth", bytes)
                : TorchFiles.zip(
                        scratch.folder().resolve("a.pth"),
                        ZipEntry.STORED,
                        Map.of("net/data.pkl", bytes, "net/data/0", TorchFiles.floats(8)));
        readAll(TorchSource.zip(file), bytes.length + 1000);
    }

    private List<byte[]> legacy() throws IOException {
        Path file = TorchFiles.legacy(
                scratch.folder().resolve("seed"), TorchFiles.stateDict(true), List.of("0"), 8, TorchFiles.floats(8));
        return List.of(Files.readAllBytes(file));
    }

    private void readLegacy(byte[] bytes) throws IOException {
        readAll(TorchSource.legacy(scratch.file("a.pth", bytes)), bytes.length);
    }

    private void readFolder(byte[] bytes) throws IOException {
        byte[] floats = TorchFiles.floats(7);
        scratch.file("s1.bin", Arrays.copyOf(floats, 10));
        scratch.file("s2.bin", Arrays.copyOfRange(floats, 10, 28));
        readAll(TfjsSource.openFolder(scratch.file("model.json", bytes)), 1000);
    }

    private List<byte[]> archives() throws IOException {
        byte[] floats = TorchFiles.floats(7);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarWriter tar = new TarWriter(out)) {
            tar.add("package/package.json", utf8("{\"license\": \"MIT\"}"));
            tar.add("package/net/s1.bin", Arrays.copyOf(floats, 10));
            tar.add("package/net/s2.bin", Arrays.copyOfRange(floats, 10, 28));
            tar.add("package/net/model.json", utf8(MODEL));
        }
        return List.of(out.toByteArray(), gzip(out.toByteArray()));
    }

    /** A .tgz, or the tar in one. */
    private void readArchive(byte[] bytes) throws IOException {
        boolean packed = bytes.length > 1 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
        Path file = scratch.file("a.tgz", packed ? bytes : gzip(TarFuzz.withChecksums(bytes)));
        Path folder = Files.createDirectories(scratch.folder().resolve("unpacked"));
        readAll(TfjsSource.openArchive(file, folder), 1 << 20);
        if (Files.exists(folder)) {
            throw new FindingException("the unpacked files were not deleted");
        }
    }

    private List<byte[]> keras() throws IOException {
        Path file = scratch.folder().resolve("seed.h5");
        try (WritableHdfFile h5 = HdfFile.write(file)) {
            WritableGroup model = h5.putGroup("model_weights");
            model.putGroup("conv1").putGroup("conv1").putDataset("kernel:0", new float[][] {{1, 2}, {3, 4}});
            model.putGroup("bn1").putDataset("gamma:0", new float[] {1, 2});
        }
        return List.of(Files.readAllBytes(file));
    }

    private void readKeras(byte[] bytes) throws IOException {
        readAll(KerasSource.open(scratch.file("a.h5", bytes)), bytes.length);
    }

    private static void readAll(SourceWeights source, long maxBytes) throws IOException {
        try (source;
                Scope scope = Scope.open()) {
            int number = 0;
            for (SourceTensor tensor : source.tensors().values()) {
                if (number++ < MAX_TENSORS && tensor.load().nbytes() > maxBytes) {
                    throw new FindingException("a tensor is larger than its file");
                }
            }
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream packed = new GZIPOutputStream(out)) {
            packed.write(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] utf8(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }
}
