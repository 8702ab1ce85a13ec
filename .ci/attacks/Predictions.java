import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Predictor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Predicts the same images from several threads for a while: MODEL FOLDER THREADS SECONDS. Every answer must be the same each time. */
public final class Predictions {
    public static void main(String[] words) throws Exception {
        long until = System.nanoTime() + Long.parseLong(words[3]) * 1_000_000_000L;
        List<Path> images;
        try (Stream<Path> files = Files.walk(Path.of(words[1]))) {
            images = files.filter(Files::isRegularFile).sorted().toList();
        }
        AtomicLong count = new AtomicLong();
        AtomicLong wrong = new AtomicLong();
        try (Predictor predictor = Predictor.load(Path.of(words[0]))) {
            List<String> expected = new ArrayList<>();
            for (Path image : images) {
                expected.add(answer(predictor, image));
            }
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < Integer.parseInt(words[2]); t++) {
                int first = t;
                Thread thread = new Thread(() -> {
                    for (int i = first; System.nanoTime() < until; i++) {
                        String answer = answer(predictor, images.get(i % images.size()));
                        wrong.addAndGet(answer.equals(expected.get(i % images.size())) ? 0 : 1);
                        count.incrementAndGet();
                    }
                });
                thread.setUncaughtExceptionHandler((where, failure) -> {
                    failure.printStackTrace();
                    wrong.incrementAndGet();
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println(count + " predictions, " + wrong + " wrong");
        System.exit(wrong.get() == 0 ? 0 : 1);
    }

    private static String answer(Predictor predictor, Path image) {
        try {
            Prediction prediction = predictor.predict(image);
            return prediction.label() + " " + prediction.confidence();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
