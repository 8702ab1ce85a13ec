package io.github.gramian.onnx.graph.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.gramian.onnx.OfficialChecker;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxFileTest {

    private static final OnnxFile.About ABOUT = new OnnxFile.About("1", Map.of("key", "value"));

    @TempDir
    Path folder;

    /** y = Gather(table, x): a table of {@code rows} rows of 1024 values, row i full of i. */
    private static OnnxGraph lookup(long rows) {
        GraphBuilder graph = new GraphBuilder();
        Value x = graph.input(new Port("x", ElementType.INT64, List.of(new Dimension.Named("batch"))));
        Value table = graph.constant(new Initializer(
                new Value("table"), ElementType.FLOAT, List.of(rows, 1024L), channel -> fill(channel, rows)));
        Value y = graph.taken(table, x, 0);
        graph.output(
                y, new Port("y", ElementType.FLOAT, List.of(new Dimension.Named("batch"), new Dimension.Fixed(1024))));
        return graph.build("lookup");
    }

    private static void fill(WritableByteChannel channel, long rows) throws IOException {
        ByteBuffer row = ByteBuffer.allocate(4096).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (long i = 0; i < rows; i++) {
            row.clear();
            for (int j = 0; j < 1024; j++) {
                row.putFloat((float) i);
            }
            row.flip();
            while (row.hasRemaining()) {
                channel.write(row);
            }
        }
    }

    private static float[][] looked(Path file, long... places) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(file.toString());
                OnnxTensor input = OnnxTensor.createTensor(environment, places);
                OrtSession.Result result = session.run(Map.of("x", input))) {
            return (float[][]) result.get(0).getValue();
        }
    }

    @Test
    void one_file_and_two_files_hold_the_same_tensors() throws IOException, OrtException {
        Path one = folder.resolve("one.onnx");
        Path two = folder.resolve("two.onnx");
        OnnxFile.write(one, lookup(5), ABOUT);
        OnnxFile.writeExternal(two, lookup(5), ABOUT);
        assertThat(Files.size(OnnxFile.dataOf(two))).isEqualTo(5 * 4096);
        for (Path file : List.of(one, two)) {
            OfficialChecker.check(file);
            assertThat(looked(file, 4, 2)[0]).hasSize(1024).containsOnly(4f);
        }
    }

    @Test
    void external_tensors_begin_at_whole_pages() throws IOException {
        GraphBuilder graph = new GraphBuilder();
        Value first = graph.constant(Initializer.of("first", List.of(1025L), new float[1025]));
        Value second = graph.constant(Initializer.of("second", List.of(1025L), new float[1025]));
        Value small = graph.constant(Initializer.of("small", List.of(1L), new float[1]));
        Value sum = graph.add(graph.add(first, second), small);
        graph.output(sum, new Port("y", ElementType.FLOAT, List.of(new Dimension.Fixed(1025))));
        Path file = folder.resolve("pages.onnx");
        OnnxFile.writeExternal(file, graph.build("pages"), ABOUT);
        assertThat(Files.size(OnnxFile.dataOf(file))).isEqualTo(8192 + 4100);
        OfficialChecker.check(file);
    }

    @Test
    void the_checker_refuses_a_graph_that_is_wrong() throws IOException {
        GraphBuilder graph = new GraphBuilder();
        Value x = graph.input(new Port("x", ElementType.FLOAT, List.of(new Dimension.Fixed(3))));
        Value y = graph.node("MatMul", List.of(x, graph.constant(Initializer.of("w", List.of(2L, 2L), new float[4]))));
        graph.output(y, new Port("y", ElementType.FLOAT, List.of(new Dimension.Fixed(2))));
        Path wrong = folder.resolve("wrong.onnx");
        OnnxFile.write(wrong, graph.build("wrong"), ABOUT);
        assertThatThrownBy(() -> OfficialChecker.check(wrong)).hasMessageContaining("Incompatible dimensions");

        Path cut = folder.resolve("cut.onnx");
        OnnxFile.write(cut, lookup(2), ABOUT);
        byte[] whole = Files.readAllBytes(cut);
        Files.write(cut, java.util.Arrays.copyOf(whole, whole.length - 10));
        assertThatThrownBy(() -> OfficialChecker.check(cut)).hasMessageContaining("Unable to parse");
    }

    @Test
    void more_than_two_gigabytes_in_one_file_are_refused_before_anything_is_written() throws IOException {
        Path file = folder.resolve("large.onnx");
        assertThatThrownBy(() -> OnnxFile.write(file, lookup(600_000), ABOUT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("at most 2147483647", "--external-data");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_tensor_that_writes_less_than_its_shape_requires_leaves_no_file() {
        GraphBuilder graph = new GraphBuilder();
        Value w = graph.constant(new Initializer(
                new Value("w"), ElementType.FLOAT, List.of(1024L), channel -> channel.write(ByteBuffer.allocate(8))));
        graph.output(w, new Port("y", ElementType.FLOAT, List.of(new Dimension.Fixed(1024))));
        OnnxGraph built = graph.build("short");
        assertThatThrownBy(() -> OnnxFile.write(folder.resolve("a.onnx"), built, ABOUT))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> OnnxFile.writeExternal(folder.resolve("b.onnx"), built, ABOUT))
                .isInstanceOf(IOException.class);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void more_than_two_gigabytes_are_written_and_loaded_with_external_data() throws IOException, OrtException {
        long rows = 550_000; // 2.25 GB
        Path file = folder.resolve("large.onnx");
        OnnxFile.writeExternal(file, lookup(rows), ABOUT);
        assertThat(Files.size(OnnxFile.dataOf(file))).isGreaterThan(1L << 31).isEqualTo(rows * 4096);
        float[][] found = looked(file, rows - 1, 1);
        assertThat(found[0]).containsOnly((float) (rows - 1));
        assertThat(found[1]).containsOnly(1f);
    }
}
