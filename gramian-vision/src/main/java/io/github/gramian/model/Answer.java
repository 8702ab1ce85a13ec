package io.github.gramian.model;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a model says of one image.
 *
 * @param file name of the image; empty for one that came from memory
 * @param numbers class probabilities, or the descriptor where that was asked for; empty if the image was rejected
 * @param rejected why the file is not an image that can be read; null if it is one
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not kept
public record Answer(String file, float[] numbers, @Nullable String rejected) {

    /** Whether there are numbers. */
    public boolean accepted() {
        return rejected == null;
    }

    /** Places of the k largest numbers, the largest first. */
    public List<Integer> top(int k) {
        return IntStream.range(0, numbers.length)
                .boxed()
                .sorted((a, b) -> numbers[a] == numbers[b] ? a - b : Float.compare(numbers[b], numbers[a]))
                .limit(k)
                .toList();
    }

    /** Place of the largest number: the predicted class. */
    public int best() {
        return top(1).get(0);
    }

    /** The largest number: the probability of the predicted class. */
    public float confidence() {
        return numbers[best()];
    }
}
