package io.github.gramian.image.codec;

/** The markers of a JPEG that matter before its pixels do: frame, colour, orientation, number of scans. */
final class JpegMarkers {

    /** Each scan of a progressive JPEG may visit every pixel: a few more bytes must not cost another pass. */
    private static final int MAX_SCANS = 100;

    private static final int PROGRESSIVE_FRAME = 0xC2;
    private static final int START_OF_SCAN = 0xDA;

    private int width;
    private int height;
    private int components;
    private int componentNames;
    private int scans;
    private boolean extraneousBytes;
    private boolean ended;
    private boolean knownVersion = true;
    private boolean jfif;
    private int adobeTransform = -1;
    private Orientation orientation = Orientation.UPRIGHT;

    private JpegMarkers() {}

    /** Reads up to the frame, which knows the size. */
    static JpegMarkers toFrame(byte[] file) throws Refusal {
        return read(file, true);
    }

    /** Reads all markers of the file. */
    static JpegMarkers all(byte[] file) throws Refusal {
        JpegMarkers markers = read(file, false);
        if (markers.scans == 0) {
            throw Refusal.truncated("there is no scan in the file");
        }
        return markers;
    }

    private static JpegMarkers read(byte[] file, boolean stopAtFrame) throws Refusal {
        JpegMarkers markers = new JpegMarkers();
        ByteCursor cursor = ByteCursor.bigEndian(file, 2);
        boolean more = true;
        while (more && cursor.remaining() > 1 && !(stopAtFrame && markers.components > 0)) {
            more = markers.segment(file, cursor);
        }
        if (markers.components == 0) {
            throw Refusal.truncated("there is no frame in the file");
        }
        return markers;
    }

    /**
     * Upper bound for the scans of the JPEG data inside another file; 0 if none of it is progressive. Counts the bytes of
     * the markers wherever they are, since such data may lie anywhere.
     */
    static int scansIfProgressive(byte[] file) {
        boolean progressive = false;
        int scans = 0;
        for (int at = 0; at + 1 < file.length; at++) {
            if (file[at] == (byte) 0xFF) {
                progressive |= file[at + 1] == (byte) PROGRESSIVE_FRAME;
                scans += file[at + 1] == (byte) START_OF_SCAN ? 1 : 0;
            }
        }
        return progressive ? scans : 0;
    }

    /** Number of scans in the file. */
    int scans() {
        return scans;
    }

    Codec.Size size() {
        return new Codec.Size(width, height);
    }

    /** As the image is seen. */
    Codec.Size uprightSize() {
        return size().upright(orientation);
    }

    Orientation orientation() {
        return orientation;
    }

    /**
     * Whether nothing outside the scans makes libjpeg warn: it is complete, without bytes between its segments, of a known
     * version. libjpeg also prints its warnings to standard error, without the name of the file.
     */
    boolean isPlain() {
        return ended && !extraneousBytes && knownVersion;
    }

    /** The rules of libjpeg: JFIF means YCbCr, then Adobe's marker, then the components' names. */
    JpegColour colour() throws Refusal {
        return switch (components) {
            case 1 -> JpegColour.GREY;
            case 3 -> {
                boolean rgb = !jfif && (adobeTransform == 0 || (adobeTransform < 0 && componentNames == 0x524742));
                yield rgb ? JpegColour.RGB : JpegColour.YCBCR;
            }
            case 4 -> adobeTransform > 0 ? JpegColour.YCCK : JpegColour.CMYK;
            default -> throw Refusal.unsupported(components + " colour components");
        };
    }

    /** Reads one segment; false at the end of the image. */
    private boolean segment(byte[] file, ByteCursor cursor) throws Refusal {
        int from = cursor.position();
        int marker = nextMarker(file, cursor);
        extraneousBytes |= scans == 0 && marker >= 0 && file[from] != (byte) 0xFF;
        if (marker < 0 || marker == 0xD9) {
            ended = marker == 0xD9;
            return false;
        }
        if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
            return true;
        }
        int start = cursor.position();
        int length = cursor.u16();
        if (length < 2) {
            throw Refusal.corrupt("a segment gives its length as " + length + " bytes");
        }
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
            frame(marker, cursor);
        } else if (marker == START_OF_SCAN && ++scans > MAX_SCANS) {
            throw Refusal.unsupported("more than " + MAX_SCANS + " scans");
        } else if (marker == 0xE0 && ByteCursor.startsWith(file, start + 2, "JFIF\0")) {
            jfif = true;
            knownVersion = start + 7 < file.length && file[start + 7] == 1;
        } else if (marker == 0xEE && length >= 14 && ByteCursor.startsWith(file, start + 2, "Adobe")) {
            cursor.seek(start + 13L);
            adobeTransform = cursor.u8();
        } else if (marker == 0xE1 && ByteCursor.startsWith(file, start + 2, "Exif\0\0")) {
            orientation = TiffDirectory.orientationOfExif(
                    file, start + 8, Math.max(start + 8, Math.min(start + length, file.length)));
        }
        cursor.seek((long) start + length);
        return true;
    }

    private void frame(int marker, ByteCursor cursor) throws Refusal {
        if (components != 0) {
            throw Refusal.corrupt("a second frame");
        }
        if (marker > PROGRESSIVE_FRAME) {
            throw Refusal.unsupported("lossless, hierarchical or arithmetic coding");
        }
        int precision = cursor.u8();
        if (precision != 8) {
            throw Refusal.unsupported(precision + " bits a sample");
        }
        height = cursor.u16();
        width = cursor.u16();
        components = cursor.u8();
        if (components == 0 || components > 4) {
            throw Refusal.unsupported(components + " colour components");
        }
        for (int i = 0; i < components; i++) {
            componentNames = (componentNames << 8) | cursor.u8();
            cursor.skip(2);
        }
    }

    /** The next marker, past fill bytes, stuffed zeros and the bytes of a scan; −1 where there is none. */
    private static int nextMarker(byte[] file, ByteCursor cursor) throws Refusal {
        int at = cursor.position();
        while (at + 1 < file.length) {
            if (file[at] == (byte) 0xFF && file[at + 1] != 0 && file[at + 1] != (byte) 0xFF) {
                cursor.seek(at + 2L);
                return file[at + 1] & 0xFF;
            }
            at++;
        }
        cursor.seek(file.length);
        return -1;
    }
}
