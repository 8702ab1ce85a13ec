package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.image.codec.ImageLimits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams of files and of bytes, on an engine that answers with the mean of the pixels. */
class PredictorStreamTest {

    private static final BatchOptions SMALL = new BatchOptions(3, 2, 2);

    @TempDir
    Path folder;

    private Path photo(int number) throws IOException {
        Path file = folder.resolve(number + ".png");
        SmallImages.draw(file, "rows", number);
        return file;
    }

    @Test
    void a_stream_of_bytes_predicts_what_the_file_predicts() throws IOException {
        Path photo = photo(1);
        try (Predictor predictor = Predictor.on(new EchoInference(8));
                InputStream in = Files.newInputStream(photo)) {
            float[] expected = predictor.predict(photo).probabilities();
            assertThat(predictor.predict(in).probabilities()).containsExactly(expected);
            assertThat(predictor.predict(Files.readAllBytes(photo)).probabilities())
                    .containsExactly(expected);
        }
    }

    @Test
    void an_endless_stream_of_bytes_is_rejected_after_one_byte_more_than_the_limit() {
        long limit = ImageLimits.DEFAULT.maxBytes();
        EndlessStream endless = new EndlessStream();
        try (Predictor predictor = Predictor.on(new EchoInference(8))) {
            assertThatThrownBy(() -> predictor.predict(endless))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("bytes");
            assertThatThrownBy(() -> predictor.predict(new ByteArrayInputStream(new byte[0])))
                    .isInstanceOf(ModelException.class);
        }
        assertThat(endless.read).isEqualTo(limit + 1);
    }

    /** Zeros without an end. */
    private static final class EndlessStream extends InputStream {
        long read;

        @Override
        public int read() {
            read++;
            return 0;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            read += length;
            return length;
        }
    }

    @Test
    void many_files_are_predicted_in_order_and_a_broken_one_is_reported_in_its_place() throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            files.add(photo(i));
        }
        files.add(4, Files.writeString(folder.resolve("broken.png"), "no picture"));
        try (Predictor predictor = Predictor.on(new EchoInference(8));
                Stream<Prediction> predictions = predictor.predictAll(files.stream(), SMALL)) {
            List<Prediction> all = predictions.toList();
            assertThat(all)
                    .extracting(Prediction::image)
                    .containsExactlyElementsOf(
                            files.stream().map(Path::toString).toList());
            for (int i = 0; i < files.size(); i++) {
                assertThat(all.get(i).rejection().isPresent()).isEqualTo(i == 4);
                if (i != 4) {
                    assertThat(all.get(i).probabilities())
                            .containsExactly(predictor.predict(files.get(i)).probabilities());
                }
            }
            assertThat(predictor.describeAll(files.stream().limit(1), SMALL))
                    .singleElement()
                    .satisfies(reading -> assertThat(reading.descriptor()).hasSize(predictor.descriptorLength()));
            assertThat(predictor.predictAll(Stream.empty(), SMALL)).isEmpty();
        }
    }

    @Test
    void an_endless_list_of_files_is_read_no_further_than_the_options_allow() throws IOException {
        Path photo = photo(1);
        AtomicInteger taken = new AtomicInteger();
        AtomicBoolean closed = new AtomicBoolean();
        Stream<Path> endless = Stream.generate(() -> photo)
                .peek(file -> taken.incrementAndGet())
                .onClose(() -> closed.set(true));
        try (Predictor predictor = Predictor.on(new EchoInference(8));
                Stream<Prediction> predictions = predictor.predictAll(endless, SMALL)) {
            assertThat(taken).hasValue(0);
            Iterator<Prediction> some = predictions.iterator();
            for (int i = 0; i < 4; i++) {
                some.next();
            }
            // Two batches of three are under way at most, besides the one that was consumed.
            assertThat(taken.get()).isLessThanOrEqualTo(3 + 2 * 3 + 1);
        }
        assertThat(closed).isTrue();
    }
}
