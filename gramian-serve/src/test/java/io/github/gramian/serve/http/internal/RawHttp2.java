package io.github.gramian.serve.http.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A client that writes HTTP/2 frames one by one, with prior knowledge and without TLS. */
final class RawHttp2 implements AutoCloseable {

    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int CONTINUATION = 9;

    private final Socket socket;

    private RawHttp2(Socket socket) {
        this.socket = socket;
    }

    /** Sends the preface and empty settings. */
    static RawHttp2 connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        RawHttp2 client = new RawHttp2(socket);
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        client.frame(SETTINGS, 0, new byte[0]);
        return client;
    }

    void ping() throws IOException {
        frame(PING, 0, new byte[8]);
    }

    /** Starts the headers of a GET request and does not end them. */
    void startHeaders() throws IOException {
        frame(HEADERS, 1, new byte[] {(byte) 0x82}); // :method GET in HPACK's static table
    }

    /** One more header of the request, which still does not end. */
    void continueHeaders() throws IOException {
        frame(CONTINUATION, 1, new byte[] {(byte) 0x90}); // accept-encoding: gzip, deflate
    }

    private void frame(int type, int stream, byte[] payload) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) 0)
                .putInt(stream)
                .put(payload)
                .array());
        out.flush();
    }

    /** Whether the server has closed the connection; reads what it has sent. */
    boolean isClosed() {
        try {
            socket.setSoTimeout(1);
            byte[] bytes = new byte[4096];
            int count = 0;
            while (count >= 0) {
                count = socket.getInputStream().read(bytes);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
