package io.github.gramian.cli;

import io.github.gramian.io.internal.TerminalWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Several commands in one JVM, as the start script has set it up: COMMANDS OUT, the last two words. COMMANDS has a command a line, its words
 * separated by tabs; what each prints goes to OUT/0.out, OUT/0.err and so on, its exit code to OUT/0.code.
 */
public final class Pipeline {
    private Pipeline() {}

    public static void main(String[] words) throws Exception {
        Path out = Path.of(words[words.length - 1]);
        List<String> commands = Files.readAllLines(Path.of(words[words.length - 2]), StandardCharsets.UTF_8);
        for (int i = 0; i < commands.size(); i++) {
            String[] command = commands.get(i).split("\t");
            StringWriter printed = new StringWriter();
            StringWriter errors = new StringWriter();
            int code = Gramian.commandLine(command)
                    .setOut(new TerminalWriter(printed, Charset.defaultCharset()))
                    .setErr(new TerminalWriter(errors, Charset.defaultCharset()))
                    .execute(command);
            Files.writeString(out.resolve(i + ".out"), printed.toString());
            Files.writeString(out.resolve(i + ".err"), errors.toString());
            Files.writeString(out.resolve(i + ".code"), Integer.toString(code));
        }
        System.exit(0);
    }
}
