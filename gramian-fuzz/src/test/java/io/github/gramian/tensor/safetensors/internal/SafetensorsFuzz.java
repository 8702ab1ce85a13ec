package io.github.gramian.tensor.safetensors.internal;

import io.github.gramian.fuzz.FindingException;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** The files that tensors are stored in, and right checksums for those that are sealed. */
public final class SafetensorsFuzz {

    private static final int PREFIX = 8;

    private SafetensorsFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(FuzzTarget.of(
                "safetensors", SafetensorsFuzz::seeds, bytes -> read(scratch, bytes), SafetensorsException.class));
    }

    private static List<byte[]> seeds() {
        return List.of(
                file(
                        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'U8','shape':[1,3],"
                                + "'data_offsets':[8,11]},'__metadata__':{'k':'v','crc32c':'00000000'}}",
                        11),
                file(
                        "{'e':{'dtype':'BF16','shape':[0],'data_offsets':[0,0]},'s':{'dtype':'F64','shape':[],"
                                + "'data_offsets':[0,8]}}   ",
                        8));
    }

    /** A file with this header, in which single quotes stand for double ones, and this number of bytes of data. */
    public static byte[] file(String header, int dataBytes) {
        byte[] file = HostileSafetensorsTest.file(header.replace('\'', '"'), dataBytes)
                .array();
        return sealed(file);
    }

    /** The same with a right checksum, where the header has a place for one. */
    public static byte[] sealed(byte[] file) {
        if (file.length < PREFIX) {
            return file;
        }
        long length = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 0 || length > file.length - PREFIX) {
            return file;
        }
        byte[] all = file.clone();
        OptionalInt place = SafetensorsFile.Seal.place(Arrays.copyOfRange(all, PREFIX, PREFIX + (int) length));
        if (place.isPresent()) {
            int from = PREFIX + place.getAsInt();
            Arrays.fill(all, from, from + Checksum.DIGITS, (byte) '0');
            Checksum sum = new Checksum();
            sum.write(ByteBuffer.wrap(all));
            System.arraycopy(sum.hex().getBytes(StandardCharsets.US_ASCII), 0, all, from, Checksum.DIGITS);
        }
        return all;
    }

    private static void read(Scratch scratch, byte[] bytes) throws IOException {
        Path path = scratch.file("a.safetensors", sealed(bytes));
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            file.isIntact();
            for (TensorEntry entry : file.entries()) {
                if (file.map(entry.name()).capacity()
                        != entry.elements() * entry.type().bytes()) {
                    throw new FindingException("'" + entry.name() + "' has a size that differs from its header");
                }
            }
        }
    }
}
