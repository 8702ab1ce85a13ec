package io.github.gramian.spark.cluster;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.spark.shard.Packer;
import io.github.gramian.spark.shard.ShardSource;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import org.apache.hadoop.conf.Configuration;

/**
 * Good images, 20 broken ones of five kinds spread among them, and one whose pixels take more memory than an executor has.
 *
 * @param folder of all of them
 * @param good names of those that must be described
 * @param broken names of those that must be in quarantine
 */
record PlantedImages(Path folder, List<String> good, Set<String> broken) {

    static final String CRASHING = "planted-crash";
    private static final int BROKEN = 20;

    /** Plants among drawn images. */
    static PlantedImages drawn(Path folder, int count) throws IOException {
        SmallImages.fill(folder, count);
        return planted(folder);
    }

    /** Plants among real ones. */
    static PlantedImages real(Path folder, int count) throws IOException {
        copy(textures(), folder, count);
        return planted(folder);
    }

    /** Some images of a folder, in an order that has nothing to do with their names. */
    private static void copy(Path source, Path folder, int count) throws IOException {
        List<Path> files;
        try (Stream<Path> below = Files.walk(source)) {
            files = below.filter(file -> file.toString().endsWith(".jpg"))
                    .sorted(Comparator.comparingInt(PlantedImages::mixed).thenComparing(Path::compareTo))
                    .limit(count)
                    .toList();
        }
        for (Path file : files) {
            Path target = folder.resolve(source.relativize(file).toString());
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
    }

    /** Fills a folder with images and plants nothing: real ones where there are any, drawn ones elsewhere. */
    static void fill(Path folder, int count) throws IOException {
        if (Files.isDirectory(textures())) {
            copy(textures(), folder, count);
        } else {
            SmallImages.fill(folder, count);
        }
    }

    /** Where the real images are. */
    static Path textures() {
        return Path.of(System.getProperty("gramian.data", "../../shared/data")).resolve("dtd/images");
    }

    private static int mixed(Path file) {
        return file.getFileName().toString().hashCode() * 0x9E3779B9;
    }

    private static PlantedImages planted(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> below = Files.walk(folder)) {
            files = below.filter(Files::isRegularFile).sorted().toList();
        }
        List<String> good =
                files.stream().map(file -> folder.relativize(file).toString()).toList();
        Set<String> broken = new TreeSet<>();
        for (int i = 0; i < BROKEN; i++) {
            Path original = files.get(i * (files.size() / BROKEN));
            Path file = original.resolveSibling("broken-" + i + "-" + original.getFileName());
            Files.write(file, damaged(Files.readAllBytes(original), i % 5));
            broken.add(folder.relativize(file).toString());
        }
        Path middle = files.get(files.size() / 2);
        Files.write(middle.resolveSibling(CRASHING + ".png"), hugeImage());
        return new PlantedImages(folder, good, broken);
    }

    /** A black PNG of 8000 × 8000 pixels, 16 bits a channel: half a megabyte as a file, half a gigabyte when decoded. */
    private static byte[] hugeImage() throws IOException {
        int side = 8000;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream png = new DataOutputStream(bytes);
        png.writeLong(0x89504E470D0A1A0AL);
        ByteBuffer header = ByteBuffer.allocate(13).putInt(side).putInt(side);
        chunk(png, "IHDR", header.put(new byte[] {16, 6, 0, 0, 0}).array());
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream rows = new DeflaterOutputStream(packed)) {
            byte[] row = new byte[1 + 8 * side];
            for (int y = 0; y < side; y++) {
                rows.write(row);
            }
        }
        chunk(png, "IDAT", packed.toByteArray());
        chunk(png, "IEND", new byte[0]);
        return bytes.toByteArray();
    }

    private static void chunk(DataOutputStream png, String name, byte[] content) throws IOException {
        byte[] typed = name.getBytes(StandardCharsets.US_ASCII);
        CRC32 sum = new CRC32();
        sum.update(typed);
        sum.update(content);
        png.writeInt(content.length);
        png.write(typed);
        png.write(content);
        png.writeInt((int) sum.getValue());
    }

    private static byte[] damaged(byte[] whole, int how) {
        return switch (how) {
            case 0 -> new byte[0];
            case 1 -> "this is not an image".getBytes(StandardCharsets.UTF_8);
            case 2 -> Arrays.copyOf(whole, 20); // cut off in its header
            case 3 -> new byte[5000];
            default -> "<html>404</html>".repeat(10).getBytes(StandardCharsets.UTF_8);
        };
    }

    /** Packs all of them. */
    void pack(Path shards, int imagesPerShard) throws IOException {
        Packer packer = new Packer(new Packer.Settings(folder.toString(), shards.toString(), imagesPerShard, 1 << 24));
        for (ShardSource.Shard shard : packer.plan(new Configuration())) {
            packer.pack(shard, new Configuration());
        }
    }

    List<Path> goodFiles() {
        List<Path> files = new ArrayList<>();
        good.forEach(name -> files.add(folder.resolve(name)));
        return files;
    }
}
