package io.github.gramian.serve.http;

import io.github.gramian.image.codec.Decoded;
import io.github.gramian.model.ModelException;
import io.github.gramian.serve.batch.QueueFullException;
import io.github.gramian.serve.batch.TooLateException;
import io.github.gramian.serve.model.UnknownModelException;
import io.github.gramian.serve.protocol.RequestException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;

/** What a failed request is answered with. The list is in docs/serving.md. */
final class Failures {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");

    private Failures() {}

    /** The answer for an exception. */
    static Answer of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (cause instanceof RequestException wrong) {
            return Answer.error(wrong.status(), String.valueOf(wrong.getMessage()));
        }
        if (cause instanceof QueueFullException full) {
            return Answer.error(429, String.valueOf(full.getMessage())).with("Retry-After", "1");
        }
        if (cause instanceof TooLateException late) {
            return Answer.error(504, String.valueOf(late.getMessage()));
        }
        if (cause instanceof UnknownModelException unknown) {
            return Answer.error(404, String.valueOf(unknown.getMessage()));
        }
        if (cause instanceof TimeoutException) {
            return Answer.error(408, "the request came too slowly").with("Connection", "close");
        }
        if (cause instanceof HttpException http) {
            return Answer.error(http.getCode(), HttpSentences.of(http.getCode(), http.getReason()));
        }
        if (cause instanceof OutOfMemoryError) {
            LOG.log(Level.WARNING, "a request needed more memory than there is: " + cause.getMessage());
            return Answer.error(503, "the server has not enough memory for this request now")
                    .with("Retry-After", "5");
        }
        if (cause instanceof ModelException || !(cause instanceof IOException)) {
            LOG.log(Level.ERROR, "a request failed", cause);
            return Answer.error(500, "the server failed; its log says why");
        }
        return Answer.error(400, "the request ended before it was complete");
    }

    /** Why an image could not be read. */
    static RequestException rejected(Decoded.Rejected rejected) {
        int status = switch (rejected.reason()) {
            case TOO_MANY_BYTES, TOO_MANY_PIXELS -> 413;
            case UNKNOWN_FORMAT, UNSUPPORTED, NEEDS_CONVERTER -> 415;
            case OUT_OF_MEMORY -> 503;
            default -> 400;
        };
        return new RequestException(status, "not an image that can be used: " + rejected.sentence());
    }

    /** Why a file could not be read. The message of Java's exceptions for files is only the path. */
    static String reason(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof NoSuchFileException) {
            return message + " does not exist";
        }
        if (failure instanceof AccessDeniedException) {
            return message + ": permission denied";
        }
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof CompletionException && cause != null ? unwrapped(cause) : thrown;
    }
}
