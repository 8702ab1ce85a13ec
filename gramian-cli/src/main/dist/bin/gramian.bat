@echo off
rem Starts gramian; the settings are those of the script for other systems: JAVA_HOME, GRAMIAN_THREADS, GRAMIAN_JAVA_OPTS,
rem GRAMIAN_ARCHIVE. If there is no class archive next to the jars, doctor --prepare writes it to the user's directory.
setlocal
set "home=%~dp0.."
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
if defined GRAMIAN_THREADS set "OMP_NUM_THREADS=%GRAMIAN_THREADS%"
set "OPENBLAS_NUM_THREADS=1"
set "blas="
if exist "%home%\lib\mkl-*.jar" set "blas=-Dorg.bytedeco.openblas.load=mkl"
set "extension=-Dorg.bytedeco.javacpp.platform.extension=-cpu"
if exist "%home%\lib\pytorch-*-gpu.jar" set "extension="
for %%j in ("%home%\lib\gramian-cli-*.jar") do set "jar=%%j"
set "archive=%LOCALAPPDATA%\gramian\gramian.jsa"
if exist "%home%\lib\gramian.jsa" set "archive=%home%\lib\gramian.jsa"
if defined GRAMIAN_ARCHIVE set "archive=%GRAMIAN_ARCHIVE%"
set "shared="
set "bytes="
rem The size is checked here, and the content by the JVM.
if exist "%archive%.cksum" for /f "usebackq tokens=2" %%s in ("%archive%.cksum") do set "bytes=%%s"
for %%a in ("%archive%") do if "%%~za"=="%bytes%" if exist "%archive%" set shared="-XX:SharedArchiveFile=%archive%" -XX:+VerifySharedSpaces -Xshare:auto -Xlog:disable
"%java%" -Dorg.bytedeco.javacpp.maxBytes=0 -Dorg.bytedeco.javacpp.maxPhysicalBytes=0 %blas% %extension% %shared% "-Dgramian.launcher=%~f0" "-Dgramian.archive=%archive%" %GRAMIAN_JAVA_OPTS% -jar "%jar%" %*
exit /b %ERRORLEVEL%
