package io.github.gramian.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.spark.job.Tables;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application's words, on a Spark in this JVM: what spark-submit would set is set as system properties. */
class MainTest {

    @TempDir
    Path folder;

    @BeforeEach
    void asSparkSubmitDoes() {
        SparkSession.getDefaultSession().foreach(session -> {
            session.stop(); // the application opens its own
            return null;
        });
        LocalSpark.SETTINGS.forEach(System::setProperty);
    }

    @AfterEach
    void clear() {
        LocalSpark.SETTINGS.keySet().forEach(System::clearProperty);
        SparkSession.clearActiveSession();
        SparkSession.clearDefaultSession();
    }

    @Test
    void images_are_packed_and_described() throws Exception {
        Path model = SmallModels.random(folder);
        SmallImages.fill(folder.resolve("images"), 12);
        String shards = folder.resolve("shards").toString();
        String table = folder.resolve("table").toString();
        assertThat(Main.run("pack", folder.resolve("images").toString(), shards, "--shard-images", "5"))
                .isZero();
        assertThat(folder.resolve("shards/shard-000002.tar")).exists();
        assertThat(Main.run("describe", shards, table, "--model", model.toString(), "--descriptors", "int8"))
                .isZero();
        assertThat(Tables.described(LocalSpark.spark(), table).count()).isEqualTo(12);
    }

    @Test
    void help_that_does_not_arrive_is_a_failure() throws Exception {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "this system has no /dev/full");
        Process process =
                OwnJvm.of(Main.class, "--help").redirectOutput(full.toFile()).start();
        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("gramian-spark: standard output")
                .hasLineCount(1);
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void invalid_arguments_and_missing_files_are_one_line_and_an_exit_code() throws Exception {
        assertThat(Main.run("describe")).isEqualTo(2);
        assertThat(Main.run("describe", "a", "b", "--model", "m", "--format", "zip"))
                .isEqualTo(2);
        Files.createDirectories(folder.resolve("empty"));
        assertThat(Main.run("describe", folder.resolve("empty").toString(), "b", "--model", "nowhere"))
                .isEqualTo(1);
        assertThat(Main.run("describe", "a", "b", "--model", "m", "--descriptors", "fp8"))
                .isEqualTo(1);
        assertThat(Main.run(
                        "pack",
                        folder.resolve("empty").toString(),
                        folder.resolve("s").toString()))
                .isEqualTo(1);
        assertThat(Main.run("--help")).isZero();
    }
}
