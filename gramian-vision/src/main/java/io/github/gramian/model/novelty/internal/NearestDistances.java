package io.github.gramian.model.novelty.internal;

import java.util.Arrays;

/** The smallest of many distances. */
final class NearestDistances {

    private final float[] squares;
    private int count;

    /** @param most how many of them count */
    NearestDistances(int most) {
        this.squares = new float[most];
    }

    void add(float square) {
        if (count == squares.length && square >= squares[count - 1]) {
            return;
        }
        int place = count < squares.length ? count++ : count - 1;
        while (place > 0 && squares[place - 1] > square) {
            squares[place] = squares[place - 1];
            place--;
        }
        squares[place] = square;
    }

    /** Mean of the smallest distances; of fewer, if there were fewer. */
    float mean() {
        double sum = 0;
        for (float square : Arrays.copyOf(squares, count)) {
            sum += Math.sqrt(square);
        }
        return count == 0 ? 0 : (float) (sum / count);
    }
}
