package io.github.gramian.onnx;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.bytedeco.onnx.global.onnx;

/**
 * ONNX's own checker, with inference of all shapes, in a process of its own: LibTorch holds another copy of ONNX's classes,
 * and both in one process end it.
 */
public final class OfficialChecker {

    private static final String ACCEPTED = "accepted";
    private static final String ANSWER = "checker: ";

    private static Child child;

    private OfficialChecker() {}

    /** Throws if the file breaks a rule. */
    public static synchronized void check(Path file) throws IOException {
        String answer = verdict(file);
        if (!answer.equals(ACCEPTED)) {
            throw new AssertionError("the official checker refuses " + file + ": " + answer);
        }
    }

    /** "accepted", or the first line of why not. */
    public static synchronized String verdict(Path file) throws IOException {
        if (child == null) {
            child = Child.start();
        }
        return child.ask(file);
    }

    private record Child(BufferedWriter questions, BufferedReader answers) {

        static Child start() throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            OfficialChecker.class.getName())
                    .redirectErrorStream(true)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            return new Child(
                    process.outputWriter(StandardCharsets.UTF_8), process.inputReader(StandardCharsets.UTF_8));
        }

        String ask(Path file) throws IOException {
            questions.write(file.toAbsolutePath() + "\n");
            questions.flush();
            StringBuilder other = new StringBuilder();
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith(ANSWER)) {
                    return line.substring(ANSWER.length());
                }
                other.append(line).append('\n');
            }
            throw new IOException("the checker has ended: " + other);
        }
    }

    /** Checks the files that are named on standard input, a line each. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader files = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String file = files.readLine(); file != null; file = files.readLine()) {
            System.out.println(ANSWER + answer(file));
        }
    }

    private static String answer(String file) {
        boolean full = true;
        boolean skipUnknownOperators = false;
        boolean checkFunctions = true;
        try {
            onnx.check_model(file, full, skipUnknownOperators, checkFunctions);
            return ACCEPTED;
        } catch (RuntimeException refused) {
            return String.valueOf(refused.getMessage()).replace('\n', ' ');
        }
    }
}
