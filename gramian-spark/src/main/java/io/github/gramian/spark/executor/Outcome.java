package io.github.gramian.spark.executor;

/** What became of an image: numbers, or the reason why there are none. */
public sealed interface Outcome permits Outcome.Scored, Outcome.Rejected {

    /**
     * What the model says.
     *
     * @param probabilities of the classes, in their order
     * @param descriptor what the classifier sees
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not kept
    record Scored(float[] probabilities, float[] descriptor) implements Outcome {

        /** Place of the largest probability; of equal ones the first. */
        public int best() {
            int best = 0;
            for (int i = 1; i < probabilities.length; i++) {
                if (probabilities[i] > probabilities[best]) {
                    best = i;
                }
            }
            return best;
        }
    }

    /** No image, or none that the model can take. */
    record Rejected(String reason) implements Outcome {}
}
