package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TerminalWriterTest {

    private static final String END = System.lineSeparator();

    private static String printed(Charset charset, Consumer<PrintWriter> work) {
        StringWriter text = new StringWriter();
        work.accept(new TerminalWriter(text, charset));
        return text.toString();
    }

    private static String line(String line) {
        return printed(StandardCharsets.UTF_8, out -> out.println(line));
    }

    @Test
    void control_characters_are_escaped() {
        assertThat(line("a\u001b[2Jb")).isEqualTo("a\\u001b[2Jb" + END);
        assertThat(line("\u0000\u0007\u007f\u009b")).isEqualTo("\\u0000\\u0007\\u007f\\u009b" + END);
        assertThat(line("photo\u202egnp.exe")).isEqualTo("photo\\u202egnp.exe" + END);
        assertThat(line("\u2066x\u2069\u200f\u061c\ufeff")).isEqualTo("\\u2066x\\u2069\\u200f\\u061c\\ufeff" + END);
    }

    @Test
    void a_line_remains_one_line() {
        assertThat(line("a\nb\r\nc\td\u2028e")).isEqualTo("a\\nb\\r\\nc\\td\\u2028e" + END);
        assertThat(printed(StandardCharsets.UTF_8, out -> out.println((Object) "a\nb")))
                .isEqualTo("a\\nb" + END);
    }

    @Test
    void a_string_may_have_several_lines() {
        assertThat(printed(StandardCharsets.UTF_8, out -> out.print("{\n\t\"a\u001b\"\n}")))
                .isEqualTo("{\n\t\"a\\u001b\"\n}");
        assertThat(printed(StandardCharsets.UTF_8, out -> out.print('\u001b'))).isEqualTo("\\u001b");
        assertThat(printed(StandardCharsets.UTF_8, out -> out.print(new char[] {'a', '\u0007'})))
                .isEqualTo("a\\u0007");
    }

    @Test
    void text_of_any_language_is_unchanged() {
        String words = "größe 日本 می\u200cخواهم 👩\u200d🔬 C:\\photos";
        assertThat(line(words)).isEqualTo(words + END);
    }

    @Test
    void characters_that_the_encoding_lacks_are_escaped() {
        assertThat(printed(StandardCharsets.US_ASCII, out -> out.println("größe 😀")))
                .isEqualTo("gr\\u00f6\\u00dfe \\ud83d\\ude00" + END);
        assertThat(printed(StandardCharsets.ISO_8859_1, out -> out.println("größe 日")))
                .isEqualTo("größe \\u65e5" + END);
    }
}
