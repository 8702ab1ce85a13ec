package io.github.gramian.distributed;

import io.github.gramian.GramianException;
import io.github.gramian.io.internal.Text;

/** Another process of the group died, stopped responding, or never joined. */
public final class ProcessLostException extends GramianException {

    private static final long serialVersionUID = 1L;

    private ProcessLostException(String message, Throwable cause) {
        super(message, cause);
    }

    /** In the middle of the work. */
    public static ProcessLostException during(DistributedConfig distributed, RuntimeException cause) {
        return new ProcessLostException(
                "process " + distributed.rank() + " of " + distributed.size() + " has lost another one ("
                        + reason(cause)
                        + "); see its error message, then start all of them again with the same commands: the training"
                        + " continues from its last checkpoint",
                cause);
    }

    /** Before the work started. */
    public static ProcessLostException atStart(DistributedConfig distributed, RuntimeException cause) {
        String advice = distributed.meeting() instanceof Rendezvous.InFile
                ? "did all " + distributed.size() + " processes start on this machine, with a file that is new?"
                : distributed.leads()
                        ? "is the port free on this machine, and did all " + distributed.size() + " processes start?"
                        : "is rank 0 running there, and does a firewall let its ports through?";
        return new ProcessLostException(
                "process " + distributed.rank() + " of " + distributed.size() + " could not meet the others at "
                        + distributed.meeting() + " (" + reason(cause) + "); " + advice,
                cause);
    }

    /** The first line of the engine's message, without the place in its source. */
    private static String reason(RuntimeException cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return Text.firstLine(message).replaceFirst("^\\[[^\\]]*\\]\\s*", "");
    }
}
