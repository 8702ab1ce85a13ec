package io.github.gramian.fuzz;

import java.util.List;

/**
 * A reader of bytes that may come from anybody, and what it may answer.
 *
 * @param name on the command line, and of its folder below {@code src/test/resources/fuzz}
 * @param seeds valid files, from which the fuzzer starts
 * @param reader takes bytes: returns, or throws one of the refusals
 * @param refusals the exceptions that the reader's documentation names; anything else is a finding
 */
public record FuzzTarget(String name, Seeds seeds, Reader reader, List<Class<? extends Exception>> refusals) {

    /** Makes valid files. */
    @FunctionalInterface
    public interface Seeds {
        List<byte[]> make() throws Exception;
    }

    /** Reads bytes. */
    @FunctionalInterface
    public interface Reader {
        void read(byte[] bytes) throws Exception;
    }

    public FuzzTarget {
        refusals = List.copyOf(refusals);
    }

    /** A target whose reader refuses by one kind of exception. */
    public static FuzzTarget of(String name, Seeds seeds, Reader reader, Class<? extends Exception> refusal) {
        return new FuzzTarget(name, seeds, reader, List.of(refusal));
    }

    /**
     * Reads.
     *
     * @return whether the bytes were accepted
     * @throws Exception what no documentation names
     */
    public boolean accepts(byte[] bytes) throws Exception {
        try {
            reader.read(bytes);
            return true;
        } catch (Exception e) {
            if (refusals.stream().noneMatch(refusal -> refusal.isInstance(e))) {
                throw e;
            }
            if (e.getMessage() == null || e.getMessage().isBlank()) {
                throw new FindingException("it is refused without a word", e);
            }
            return false;
        }
    }
}
