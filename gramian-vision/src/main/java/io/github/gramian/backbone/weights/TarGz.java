package io.github.gramian.backbone.weights;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks chosen files of a .tgz into a folder, under numbers instead of their own names, so that no name in the archive
 * can reach outside. The whole may not grow beyond a multiple of the archive.
 */
final class TarGz {

    private static final int BLOCK = 512;
    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_RATIO = 20;
    private static final long ALWAYS_ALLOWED = 64L << 20;

    private TarGz() {}

    /** Name in the archive → unpacked file, for the regular files whose names are wanted. */
    static Map<String, Path> unpack(Path archive, Path folder, Predicate<String> wanted) throws IOException {
        long budget = Math.max(ALWAYS_ALLOWED, Math.multiplyExact(Files.size(archive), MAX_RATIO));
        Map<String, Path> files = new LinkedHashMap<>();
        try (InputStream in = new GZIPInputStream(new BufferedInputStream(Files.newInputStream(archive)), 1 << 16)) {
            for (int entry = 0; entry < MAX_ENTRIES; entry++) {
                byte[] header = in.readNBytes(BLOCK);
                if (header.length < BLOCK || isZero(header)) {
                    return files;
                }
                checkSum(header);
                long size = octal(header, 124, 12);
                budget -= size + BLOCK;
                if (budget < 0) {
                    throw new WeightsException(archive + " unpacks to more than " + MAX_RATIO
                            + " times its size, which weights never do; it is refused");
                }
                String name = name(header);
                boolean regular = header[156] == '0' || header[156] == 0;
                if (regular && wanted.test(name)) {
                    Path target = folder.resolve("entry" + entry);
                    copy(in, target, size);
                    files.put(name, target);
                } else {
                    in.skipNBytes(size);
                }
                in.skipNBytes((BLOCK - size % BLOCK) % BLOCK);
            }
        } catch (ZipException | EOFException broken) {
            throw new WeightsException(
                    archive + " is cut off or damaged (" + broken.getMessage() + "); fetch it again", broken);
        }
        throw new WeightsException(archive + " has more than " + MAX_ENTRIES + " entries; it is refused");
    }

    private static void copy(InputStream in, Path target, long size) throws IOException {
        byte[] buffer = new byte[1 << 16];
        try (var out = Files.newOutputStream(target)) {
            long left = size;
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    throw new EOFException("ends in the middle of a file");
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
    }

    private static String name(byte[] header) {
        String name = text(header, 0, 100);
        String prefix = text(header, 345, 155);
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private static void checkSum(byte[] header) throws WeightsException {
        long sum = 0;
        for (int index = 0; index < BLOCK; index++) {
            sum += index >= 148 && index < 156 ? ' ' : header[index] & 0xff;
        }
        if (sum != octal(header, 148, 8)) {
            throw new WeightsException("the archive has an invalid header; it is damaged or not a .tgz");
        }
    }

    private static long octal(byte[] header, int start, int length) throws WeightsException {
        String digits = text(header, start, length).strip();
        if (!digits.matches("[0-7]{1,12}")) {
            throw new WeightsException("the archive has an invalid header; it is damaged or not a .tgz");
        }
        return Long.parseLong(digits, 8);
    }

    private static String text(byte[] header, int start, int length) {
        int end = start;
        while (end < start + length && header[end] != 0) {
            end++;
        }
        return new String(header, start, end - start, StandardCharsets.UTF_8);
    }

    private static boolean isZero(byte[] block) {
        for (byte value : block) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }
}
