package io.github.gramian.spark.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallImages;
import io.github.gramian.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackerTest {

    private static final Configuration HADOOP = new Configuration();

    @TempDir
    Path folder;

    private Path images() throws IOException {
        Path images = folder.resolve("images");
        SmallImages.fill(images, 10);
        Files.writeString(images.resolve("notes.txt"), "no image");
        Files.createDirectories(images.resolve(".cache"));
        Files.writeString(images.resolve(".cache/thumb.png"), "hidden");
        return images;
    }

    private Packer.Settings into(String name, Path images, int perShard, long maxBytes) {
        return new Packer.Settings(images.toString(), folder.resolve(name).toString(), perShard, maxBytes);
    }

    private static List<Packer.LeftOut> packAll(Packer.Settings settings) throws IOException {
        Packer packer = new Packer(settings);
        List<Packer.LeftOut> leftOut = new ArrayList<>();
        for (ShardSource.Shard shard : packer.plan(HADOOP)) {
            leftOut.addAll(packer.pack(shard, HADOOP));
        }
        return leftOut;
    }

    private static List<ImageEntry> readAll(String output) throws IOException {
        List<ImageEntry> entries = new ArrayList<>();
        ShardSource.TarShards source = new ShardSource.TarShards(output);
        for (ShardSource.Shard shard : source.list(HADOOP)) {
            try (ShardSource.EntryStream stream = source.open(shard, HADOOP, 1 << 20)) {
                for (ImageEntry entry = stream.next(); entry != null; entry = stream.next()) {
                    entries.add(entry);
                }
            }
        }
        return entries;
    }

    @Test
    void every_image_is_in_one_shard_under_its_path() throws IOException {
        Path images = images();
        Packer.Settings settings = into("shards", images, 4, 1 << 20);
        assertThat(packAll(settings)).isEmpty();
        assertThat(new ShardSource.TarShards(settings.output()).list(HADOOP))
                .extracting(ShardSource.Shard::name)
                .containsExactly("shard-000000.tar", "shard-000001.tar", "shard-000002.tar");
        List<ImageEntry> packed = readAll(settings.output());
        assertThat(packed).hasSize(10).extracting(ImageEntry::name).isSorted().contains("checks/00000.png");
        for (ImageEntry entry : packed) {
            assertThat(entry.content()).isEqualTo(Files.readAllBytes(images.resolve(entry.name())));
        }
    }

    @Test
    void packing_again_or_on_spark_makes_the_same_bytes() throws IOException {
        Path images = images();
        packAll(into("one", images, 3, 1 << 20));
        packAll(into("two", images, 3, 1 << 20));
        Packer.Summary packed = Packer.run(LocalSpark.spark(), into("three", images, 3, 1 << 20));
        assertThat(packed.leftOut()).isEmpty();
        assertThat(packed.shards()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            String name = "shard-00000" + i + ".tar";
            byte[] first = Files.readAllBytes(folder.resolve("one").resolve(name));
            assertThat(Files.readAllBytes(folder.resolve("two").resolve(name))).isEqualTo(first);
            assertThat(Files.readAllBytes(folder.resolve("three").resolve(name)))
                    .isEqualTo(first);
        }
    }

    @Test
    void a_restart_makes_only_what_is_missing_and_nothing_is_left_lying_about() throws IOException {
        Packer.Settings settings = into("shards", images(), 4, 1 << 20);
        packAll(settings);
        Path first = folder.resolve("shards/shard-000000.tar");
        Files.writeString(first, "untouched");
        Files.delete(folder.resolve("shards/shard-000002.tar"));
        packAll(settings);
        assertThat(first).hasContent("untouched");
        try (Stream<Path> files = Files.list(folder.resolve("shards"))) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".crc")))
                    .containsExactlyInAnyOrder("shard-000000.tar", "shard-000001.tar", "shard-000002.tar");
        }
    }

    @Test
    void files_that_are_too_long_are_left_out_and_reported() throws IOException {
        Path images = images();
        Files.write(images.resolve("huge.png"), new byte[300_000]);
        Packer.Settings settings = into("shards", images, 100, 200_000);
        assertThat(packAll(settings))
                .singleElement()
                .satisfies(left -> assertThat(left.name() + left.reason()).contains("huge.png", "300000", "200000"));
        assertThat(readAll(settings.output())).hasSize(10);
    }

    @Test
    void a_shard_of_which_nothing_can_be_read_is_an_error() throws IOException {
        Packer.Settings settings = into("shards", images(), 4, 10);
        assertThatThrownBy(() -> packAll(settings))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("none of the 4 files of shard-000000.tar");
        assertThat(folder.resolve("shards/shard-000000.tar")).doesNotExist();
    }

    @Test
    void a_relative_folder_is_the_drivers_wherever_it_is_read() throws IOException {
        String here = Path.of("").toAbsolutePath().toString();
        assertThat(((ShardSource.TarShards) new ShardSource.TarShards("some/shards").qualified(HADOOP)).folder())
                .isEqualTo("file:" + here + "/some/shards");
        assertThat(((ShardSource.LooseFiles) new ShardSource.LooseFiles("a", 3).qualified(HADOOP)))
                .isEqualTo(new ShardSource.LooseFiles("file:" + here + "/a", 3));
        assertThat(new ShardSource.ParquetImages("a", "n", "c").qualified(HADOOP))
                .isEqualTo(new ShardSource.ParquetImages("file:" + here + "/a", "n", "c"));
        assertThat(new Packer.Settings("a", "b", 1, 1).qualified(HADOOP))
                .isEqualTo(new Packer.Settings("file:" + here + "/a", "file:" + here + "/b", 1, 1));
    }

    @Test
    void a_folder_without_images_is_an_error_that_names_what_is_looked_for() throws IOException {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        assertThatThrownBy(() -> packAll(into("shards", empty, 4, 1000))).hasMessageContaining("jpg");
        assertThatThrownBy(() -> new Packer.Settings("a", "a", 1, 1))
                .hasMessageContaining("must differ from that of the images");
        assertThatThrownBy(() -> new Packer.Settings("a", "b", 0, 1)).hasMessageContaining("images per shard");
        assertThatThrownBy(() -> new Packer.Settings("a", "b", 1, 0)).hasMessageContaining("bytes per image");
    }
}
