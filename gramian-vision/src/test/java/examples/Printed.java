package examples;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The output of an example. */
final class Printed {

    /** A program that prints. */
    interface Example {
        void run() throws IOException;
    }

    private Printed() {}

    static String of(Example example) throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream here = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(here);
            example.run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
