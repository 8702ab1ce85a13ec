package io.github.gramian.studio.http.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One request over a plain socket, so that any header and any path can be sent. */
record Call(int status, String head, String body) {

    static Call get(String address, String path, String... headers) throws IOException {
        return send(address, "GET", path, "", headers);
    }

    static Call post(String address, String path, String body, String... headers) throws IOException {
        return send(address, "POST", path, body, headers);
    }

    /** @param path relative to the address; one that starts with a slash is absolute */
    private static Call send(String address, String method, String path, String body, String... headers)
            throws IOException {
        URI uri = URI.create(address);
        String target = path.startsWith("/") ? path : uri.getPath() + path;
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean host = false;
        for (String header : headers) {
            request.append(header).append("\r\n");
            host |= header.startsWith("Host:");
        }
        if (!host) {
            request.append("Host: 127.0.0.1:").append(uri.getPort()).append("\r\n");
        }
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        request.append("Content-Length: ").append(content.length).append("\r\nConnection: close\r\n\r\n");
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), uri.getPort())) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.toString().getBytes(StandardCharsets.UTF_8));
            out.write(content);
            out.flush();
            return parsed(socket.getInputStream());
        }
    }

    private static Call parsed(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        in.transferTo(all);
        String text = all.toString(StandardCharsets.UTF_8);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new IOException("no answer");
        }
        return new Call(Integer.parseInt(text.split(" ", 3)[1]), text.substring(0, end), text.substring(end + 4));
    }

    JsonNode json() throws IOException {
        return new ObjectMapper().readTree(body);
    }
}
