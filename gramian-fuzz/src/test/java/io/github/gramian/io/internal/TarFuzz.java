package io.github.gramian.io.internal;

import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.io.internal.TarReader.TarException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Tar archives, with their extended headers. */
public final class TarFuzz {

    private static final int MAX = 1 << 20;

    private TarFuzz() {}

    public static List<FuzzTarget> targets() {
        return List.of(
                FuzzTarget.of("tar", TarFuzz::seeds, bytes -> read(withChecksums(bytes)), TarException.class),
                FuzzTarget.of(
                        "pax",
                        () -> List.of(
                                utf8("30 path=a/long/name/of/a.jpeg\n18 size=123456789\n"),
                                utf8("18 mtime=1.123456\n11 size=42\n")),
                        bytes -> TarReader.Pax.parse(bytes, 0),
                        TarException.class));
    }

    private static List<byte[]> seeds() throws IOException {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (TarWriter writer = new TarWriter(plain)) {
            writer.add("a.txt", utf8("some words"));
            writer.add("a folder/".repeat(30) + "ü.bin", new byte[600]);
        }
        byte[] pax = utf8("18 path=other.txt\n10 size=3\n");
        ByteArrayOutputStream extended = new ByteArrayOutputStream();
        extended.writeBytes(member("PaxHeaders/x", 'x', pax));
        extended.writeBytes(member("x", '0', utf8("abc")));
        extended.writeBytes(member("g", 'g', utf8("13 comment=a\n")));
        extended.writeBytes(member("././@LongLink", 'L', utf8("n".repeat(120) + "\0")));
        extended.writeBytes(member("y", '0', new byte[0]));
        extended.writeBytes(member("folder/", '5', new byte[0]));
        return List.of(plain.toByteArray(), extended.toByteArray());
    }

    private static byte[] member(String name, char type, byte[] content) {
        byte[] all = new byte
                [TarReader.Header.BLOCK * (1 + (content.length + TarReader.Header.BLOCK - 1) / TarReader.Header.BLOCK)];
        put(all, 0, name);
        put(all, 100, "0000644");
        put(all, 124, String.format(Locale.ROOT, "%011o", content.length));
        all[156] = (byte) type;
        put(all, 257, "ustar");
        System.arraycopy(content, 0, all, TarReader.Header.BLOCK, content.length);
        return withChecksums(all);
    }

    /** Right sums in whatever looks like a header, so that changes get past them. */
    public static byte[] withChecksums(byte[] archive) {
        byte[] all = archive.clone();
        for (int at = 0; at + TarReader.Header.BLOCK <= all.length; at += TarReader.Header.BLOCK) {
            if (all[at + 257] != 'u' || all[at + 258] != 's') {
                continue;
            }
            Arrays.fill(all, at + 148, at + 156, (byte) ' ');
            int sum = 0;
            for (int i = at; i < at + TarReader.Header.BLOCK; i++) {
                sum += all[i] & 0xFF;
            }
            put(all, at + 148, String.format(Locale.ROOT, "%06o\0", sum));
        }
        return all;
    }

    private static void read(byte[] archive) throws IOException {
        try (TarReader reader = new TarReader(new ByteArrayInputStream(archive), MAX)) {
            int number = 0;
            for (TarReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                if (number % 3 == 0) {
                    reader.content(MAX);
                } else if (number % 3 == 1) {
                    reader.copyTo(OutputStream.nullOutputStream());
                }
                number++;
            }
        }
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = utf8(text);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
